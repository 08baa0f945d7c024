// SQLite's write-ahead log: its size, when it is synced, and when it is checkpointed into the database.

import CSQLite
import Glibc
import Store

/// Syncs and checkpoints the log of one connection.
///
/// With `everysec` SQLite itself syncs nothing at a commit (`synchronous=NORMAL`). `sync` gets the log's file from SQLite and syncs
/// that: one `fdatasync`, without an artificial commit or a second descriptor.
final class WriteAheadLog {
    /// Pages not yet checkpointed at which a checkpoint is worth its two syncs: when idle, while tables are written, and at which even
    /// an append waits for it, so that the log is bounded.
    static let idlePages = 500, busyPages = 1_500, maxPages = 16_000
    /// The file is not truncated below this: overwriting costs less than growing it again.
    static let keptBytes = 64 << 20

    /// SQLite's own functions read and write less than 128 kB in a call.
    private static let maxAtOnce = 64 << 10

    private let connection: Connection
    /// Records complete checkpoints.
    private let mark: MarkFile
    /// Pages in the log since it last restarted, and how many of them are checkpointed.
    private var pages = 0
    private var checkpointed = 0
    /// Why the last checkpoint failed: the log grows until one succeeds.
    private(set) var lastFailure: StoreError?
    /// Pages at which a checkpoint under load is tried again, after a reader kept one from finishing.
    private var retryAt = 0
    var hasUnsyncedCommits = true

    init(of connection: Connection, _ mark: MarkFile) {
        self.connection = connection
        self.mark = mark
        let me = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue().committed(Int(pages))
                return SQLITE_OK
            }, me)
    }

    deinit {
        sqlite3_wal_hook(connection.handle, nil, nil)
    }

    var waitingPages: Int { pages - checkpointed }

    private func committed(_ pages: Int) {
        // SQLite has restarted the log, so all of it was checkpointed.
        if pages < self.pages || waitingPages == 0 && hasNewSalt { (checkpointed, retryAt) = (0, 0) }
        self.pages = pages
    }

    /// Whether the first commit after a complete checkpoint has restarted the log: it may be longer than all the log before.
    private var hasNewSalt: Bool { salt != mark.mark.checkpoint?.salt }

    // MARK: Syncing

    func sync() throws(StoreError) {
        guard hasUnsyncedCommits else { return }
        try writeAgainIfNeeded()
        guard let file = connection.log else { return }
        let result = file.methods.xSync(file.pointer, SQLITE_SYNC_NORMAL)
        guard result == SQLITE_OK else { throw connection.error(result) }
        hasUnsyncedCommits = false
    }

    /// Rewrites the log after an I/O error, so that the next sync writes again what the system may have dropped.
    private func writeAgainIfNeeded() throws(StoreError) {
        guard connection.mayHaveLostWrites, let file = connection.log else { return }
        var size: sqlite3_int64 = 0
        var result = file.methods.xFileSize(file.pointer, &size)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.maxAtOnce, alignment: 4_096)
        defer { buffer.deallocate() }
        var offset: sqlite3_int64 = 0
        while result == SQLITE_OK, offset < size {
            let count = Int32(min(sqlite3_int64(buffer.count), size - offset))
            result = file.methods.xRead(file.pointer, buffer.baseAddress, count, offset)
            if result == SQLITE_OK { result = file.methods.xWrite(file.pointer, buffer.baseAddress, count, offset) }
            offset += sqlite3_int64(count)
        }
        guard result == SQLITE_OK else { throw connection.error(result) }
        connection.mayHaveLostWrites = false
    }

    // MARK: Checkpoints

    /// Checkpoints if at least this many pages wait. Readers are not disturbed, and can keep some pages back.
    func checkpoint(minPages: Int) throws(StoreError) {
        guard waitingPages >= minPages else { return }
        do throws(StoreError) {
            try checkpoint()
            lastFailure = nil
        } catch {
            lastFailure = error
            throw error
        }
    }

    /// Checkpoints under load. A failure is ignored, since commits are safe without it, and not retried at once.
    func checkpointUnderLoad(minPages: Int) {
        guard waitingPages >= minPages, pages >= retryAt else { return }
        try? checkpoint(minPages: minPages)
        retryAt = waitingPages > 0 ? pages + Self.busyPages : 0
    }

    /// Checkpoints and truncates the log as far as readers allow.
    func checkpointAndTruncate() throws(StoreError) {
        try checkpoint()
        sqlite3_busy_timeout(connection.handle, 0)
        defer { sqlite3_busy_timeout(connection.handle, 5_000) }
        let result = sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard result == SQLITE_OK || result & 0xFF == SQLITE_BUSY else { throw connection.error(result) }
    }

    private func checkpoint() throws(StoreError) {
        try writeAgainIfNeeded()
        mark.change { $0.checkpoint = nil }
        var (total, done): (Int32, Int32) = (0, 0)
        let result = sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_PASSIVE, &total, &done)
        guard result == SQLITE_OK else { throw connection.error(result) }
        Failpoint.hit("after-checkpoint")
        checkpointed = Int(max(0, done))
        pages = Int(max(0, total))
        // A complete checkpoint has synced both files.
        guard waitingPages == 0 else { return }
        hasUnsyncedCommits = false
        let checkpoint = CompleteCheckpoint(salt: salt, frames: UInt32(clamping: pages))
        mark.change { $0.checkpoint = checkpoint }
    }

    /// The second salt in the log's header; 0 if it cannot be read.
    private var salt: UInt32 {
        var salt: UInt32 = 0
        guard let file = connection.log, file.methods.xRead(file.pointer, &salt, 4, 20) == SQLITE_OK else { return 0 }
        return UInt32(bigEndian: salt)
    }
}

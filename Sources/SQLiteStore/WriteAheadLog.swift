// SQLite's write-ahead log: how large it is, when it reaches the disk, and when it goes into the database.

import CSQLite
import Glibc
import Store

/// Syncs and checkpoints the log of one connection.
///
/// With `everysec` durability SQLite itself syncs nothing at a commit (`synchronous=NORMAL`). `sync` asks SQLite for the log's own
/// file and has that synced: one `fdatasync`, no commit made up for the purpose, and no second descriptor.
final class WriteAheadLog {
    /// What is waiting to go into the database, in pages, at which a checkpoint is worth its two syncs while nothing else is to do;
    /// while tables are written; and at which even an append has to wait for it, so that the log cannot grow for ever.
    static let idlePages = 500, busyPages = 1_500, mostPages = 16_000
    /// The file is not cut below this: writing over what is there costs less than growing it anew.
    static let keptBytes = 64 << 20

    /// SQLite's own functions read and write less than 128 kB in a call.
    private static let mostAtOnce = 64 << 10

    private let connection: Connection
    /// Pages in the log since it was last begun from its start, and how many of them the database has.
    private var pages = 0
    private var checkpointed = 0
    /// Why the last checkpoint failed: the log grows until one succeeds.
    private(set) var trouble: StoreError?
    /// Pages at which a checkpoint in the midst of work is tried again, after one that a reader kept from finishing.
    private var retryAt = 0
    var hasUnsyncedCommits = true

    init(of connection: Connection) {
        self.connection = connection
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
        // SQLite has begun the log from its start: all of it was in the database.
        if pages < self.pages { (checkpointed, retryAt) = (0, 0) }
        self.pages = pages
    }

    // MARK: Syncing

    func sync() throws(StoreError) {
        guard hasUnsyncedCommits else { return }
        try writeAgainIfNeeded()
        guard let file = connection.log else { return }
        let result = file.methods.xSync(file.pointer, SQLITE_SYNC_NORMAL)
        guard result == SQLITE_OK else { throw connection.error(result) }
        hasUnsyncedCommits = false
    }

    /// So that the next sync finds something to write again.
    private func writeAgainIfNeeded() throws(StoreError) {
        guard connection.mayHaveLostWrites, let file = connection.log else { return }
        var size: sqlite3_int64 = 0
        var result = file.methods.xFileSize(file.pointer, &size)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.mostAtOnce, alignment: 4_096)
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

    /// Moves what waits into the database, if it is as many pages as that. Readers are not disturbed and may keep part of it back.
    func checkpoint(from least: Int) throws(StoreError) {
        guard waitingPages >= least else { return }
        do throws(StoreError) {
            try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            trouble = nil
        } catch {
            trouble = error
            throw error
        }
    }

    /// In the midst of work. What has been committed is safe even if this fails: whoever committed it is not told, and it is not
    /// tried again at once.
    func checkpointAlong(from least: Int) {
        guard waitingPages >= least, pages >= retryAt else { return }
        try? checkpoint(from: least)
        retryAt = waitingPages > 0 ? pages + Self.busyPages : 0
    }

    /// The log is as short as readers allow: empty, if there are none.
    func emptyIntoDatabase() throws(StoreError) {
        try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        sqlite3_busy_timeout(connection.handle, 0)
        defer { sqlite3_busy_timeout(connection.handle, 5_000) }
        let result = sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard result == SQLITE_OK || result & 0xFF == SQLITE_BUSY else { throw connection.error(result) }
    }

    private func checkpoint(_ mode: Int32) throws(StoreError) {
        try writeAgainIfNeeded()
        var (total, done): (Int32, Int32) = (0, 0)
        let result = sqlite3_wal_checkpoint_v2(connection.handle, "main", mode, &total, &done)
        guard result == SQLITE_OK else { throw connection.error(result) }
        Failpoint.hit("after-checkpoint")
        checkpointed = Int(max(0, done))
        pages = Int(max(0, total))
        // A checkpoint that has moved all of it has synced both files.
        if waitingPages == 0 { hasUnsyncedCommits = false }
    }
}

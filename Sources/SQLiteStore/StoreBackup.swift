// A copy of the database, made while it is being written to.

import CSQLite
import Glibc
import Posix
import Store

/// A backup in progress, made in steps between the store's writes.
///
/// It uses SQLite's backup interface on the store's own connection: commits between two steps go into the copy too, so it never
/// restarts, and after the last step it equals the database at that moment. (`VACUUM INTO` is one statement, and would block appends
/// until it is done.) The copy is a draft beside its path, and gets its
/// name once it is whole and on disk. Released before, it leaves nothing.
package final class StoreBackup: Backup {
    private let store: SQLiteStore
    private let path: String
    private var target: Connection?
    private var handle: OpaquePointer?
    private var isUnderWay = false
    /// Whether everything is copied, and the store can be released.
    private var isCopied = false

    private var draft: String { path + ".part" }

    /// Throws if there is a file at the path: a backup never replaces one.
    package init(of store: SQLiteStore, to path: String) throws(StoreError) {
        self.store = store
        self.path = path
        guard store.backup == nil else {
            throw StoreError(.failed, "another backup is running; the backup to \(path) was not started")
        }
        guard !Self.isTaken(path) else { throw Self.exists(path) }
        guard !Self.isTaken(draft) else {
            throw StoreError(
                .unusable, "\(draft) is left from a backup that was interrupted; delete it, or give the backup a new name")
        }
        try Schema.makeFile(draft)
        isUnderWay = true
        do throws(StoreError) {
            try begin()
        } catch {
            cancel()
            throw error
        }
        store.backup = self
    }

    deinit {
        if isUnderWay { cancel() }
    }

    /// A megabyte.
    private static let pagesPerStep = 256

    /// A link that leads nowhere takes the name, too.
    private static func isTaken(_ path: String) -> Bool {
        FileStatus(at: path, followingLinks: false) != nil
    }

    private static func exists(_ path: String) -> StoreError {
        StoreError(.unusable, "\(path) already exists; give the backup a new name")
    }

    private func begin() throws(StoreError) {
        let target = try Connection(draft, .creating)
        self.target = target
        // The draft is synced once, when it is whole.
        try target.run("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -1024")
        handle = sqlite3_backup_init(target.handle, "main", store.opened.connection.handle, "main")
        guard handle != nil else { throw target.error(sqlite3_errcode(target.handle)) }
    }

    package var progress: Double {
        guard let handle else { return isUnderWay && !isCopied ? 0 : 1 }
        let total = Double(sqlite3_backup_pagecount(handle))
        return total == 0 ? 0 : 1 - Double(sqlite3_backup_remaining(handle)) / total
    }

    package var size: Int {
        FileStatus(at: path).map { Int($0.st_size) } ?? 0
    }

    package func copy() throws(StoreError) -> Bool { try copy(pages: Self.pagesPerStep) }

    /// Copies `pages` pages, and returns whether there is more. A failure ends the backup.
    package func copy(pages: Int) throws(StoreError) -> Bool {
        guard isUnderWay, !isCopied else { return false }
        do throws(StoreError) {
            switch sqlite3_backup_step(handle, Int32(clamping: pages)) {
            case SQLITE_OK: return true
            case SQLITE_DONE: try endCopying()
            case let result: throw failure(result)
            }
        } catch {
            cancel()
            throw error
        }
        return false
    }

    /// Once all is copied: syncs the file and gives it its name. This takes a while; it does not touch the store, so any thread may
    /// call it.
    package func complete() throws(StoreError) {
        guard isUnderWay, isCopied else { return }
        do throws(StoreError) {
            try publish()
        } catch {
            removeDraft()
            throw error
        }
    }

    /// Either file may have failed, but only the store's own can be damaged.
    private func failure(_ result: Int32) -> StoreError {
        let isTarget = result & 0xFF != SQLITE_CORRUPT
        return (isTarget ? target : nil)?.error(result) ?? store.opened.connection.error(result)
    }

    private func endCopying() throws(StoreError) {
        let result = sqlite3_backup_finish(handle)
        handle = nil
        guard result == SQLITE_OK else { throw failure(result) }
        target = nil
        isCopied = true
        store.backup = nil
    }

    private func publish() throws(StoreError) {
        try makeStandalone()
        try Schema.sync(draft, O_RDWR | O_NOFOLLOW)
        try nameDraft()
        isUnderWay = false
        unlink(draft)
        try Schema.syncDirectory(of: path)
    }

    /// Gives the draft its name. Unlike `rename`, `link` and `makeFile` fail if the file exists.
    private func nameDraft() throws(StoreError) {
        if link(draft, path) == 0 { return }
        if errno == EEXIST { throw Self.exists(path) }
        // FAT, exFAT and some shared folders have no links: an empty file takes the name first.
        guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else { throw .system(errno, "cannot create \(path)") }
        try Schema.makeFile(path)
        guard rename(draft, path) == 0 else {
            let code = errno
            unlink(path)
            throw .system(code, "cannot create \(path)")
        }
    }

    /// Makes the copy a separate database, without a log.
    private func makeStandalone() throws(StoreError) {
        let copy = try Connection(draft, .existing)
        try DatabaseIdentity.renew(copy)
        copy.removeLogOnClose()
    }

    func cancel() {
        if let handle { sqlite3_backup_finish(handle) }
        handle = nil
        target = nil
        if store.backup === self { store.backup = nil }
        removeDraft()
    }

    private func removeDraft() {
        isUnderWay = false
        for leftover in [draft, draft + "-wal", draft + "-shm"] { unlink(leftover) }
    }
}

extension SQLiteStore {
    package func beginBackup(to path: String) throws(StoreError) -> any Backup { try StoreBackup(of: self, to: path) }
}

// A daemon's sessions and what has happened to them, in one SQLite database. It knows tables and bytes, and nothing of flows.

import Glibc

/// A data directory, held from `init` to `close`. A batch is one row of the log: one commit, one write in a row.
package final class SQLiteStore: Store {
    package let directory: String
    package let durability: Durability
    let historyCapacity: Int64
    private var place: DataDirectory?
    private var open: OpenStore?
    var marks = Marks()
    /// The one that is under way.
    weak var backup: StoreBackup?

    /// Opens what is there, or makes it. Whatever is refused is left as it was, byte for byte.
    package init(directory: String, durability: Durability, historyCapacity: Int) throws(StoreError) {
        self.directory = directory
        self.durability = durability
        self.historyCapacity = Int64(max(0, historyCapacity))
        let place = try DataDirectory(directory)
        let open = try Self.openDatabase(in: place, durability)
        place.remember(database: try DatabaseIdentity.of(open.connection))
        marks = try Marks(reading: open.connection)
        // What is about to be told as the truth may have been written by a process that died before it was synced. If that fails
        // now, the first `sync` tries again.
        try? open.wal.sync()
        self.open = open
        self.place = consume place
    }

    deinit {
        letGo()
    }

    /// Nobody may come in while the database is open: so the lock goes last.
    private func letGo() {
        open = nil
        place = nil
    }

    /// The connection and its statements. Whoever uses a store that has been closed has made a mistake.
    var opened: OpenStore {
        guard let open else { preconditionFailure("the store of \(directory) has been closed") }
        return open
    }

    private static func openDatabase(
        in place: borrowing DataDirectory, _ durability: Durability
    ) throws(StoreError) -> OpenStore {
        let path = place.database
        let hasLog = fileSize(path + "-wal") > 0
        if let header = try DatabaseHeader.read(path) {
            try header.check(path, hasLog: hasLog)
            if hasLog { try DatabaseIdentity.checkLog(of: path, leftBy: place.lastDatabase) }
        } else {
            guard !hasLog else {
                throw StoreError(
                    .damaged,
                    "\(path) is missing, and its \(path)-wal is there; put it back, or move the other away to begin anew")
            }
            try Schema.create(path)
        }
        return try OpenStore(path, durability)
    }

    private static func fileSize(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// A clean end: everything is in the database itself, and its log is gone. Without it nothing is lost either.
    package func close() throws(StoreError) {
        guard let open else { return }
        backup?.cancel()
        // A reader may keep it in the log: then it has to be safe there.
        try open.wal.sync()
        try open.wal.emptyIntoDatabase()
        open.connection.removeLogOnClose()
        letGo()
    }

    // MARK: Transactions

    /// Everything or nothing; after a failure it can be tried again as if it had never been tried.
    func transaction(_ body: (OpenStore) throws(StoreError) -> Void) throws(StoreError) {
        let (open, before) = (opened, marks)
        do throws(StoreError) {
            open.connection.rollBack()
            try open.begin.run()
            try body(open)
            try open.commit.run()
            open.wal.hasUnsyncedCommits = durability == .everysec
        } catch {
            open.connection.rollBack()
            marks = before
            throw error
        }
    }
}

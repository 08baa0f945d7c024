// A store in one SQLite database. It knows tables and bytes, and no flows.

import CSQLite
import Glibc
import Store

/// A data directory, locked from `init` to `close`. A batch is one row of the log: one commit, one sequential write. One thread uses it at a
/// time, not always the same.
package final class SQLiteStore: @unchecked Sendable {
    package let directory: String
    package let durability: Durability
    package let historyCapacity: Int64
    private var dataDirectory: DataDirectory?
    private var open: OpenStore?
    var cursors = StoreCursors()
    var findings = Findings()
    private(set) var opening: DatabaseOpener
    let mark: MarkFile
    var files: OwnFiles
    /// The backup in progress.
    package weak var backup: StoreBackup?
    /// Damaged rows of the history that were found while losses are accepted.
    var lostHistory: [(table: Table, number: Int64)] = []

    /// Opens the database, or makes one. A refused one is left as it was, byte for byte.
    ///
    /// `boot` identifies this boot of the machine; it decides what may be missing after a loss of power. With `acceptsLoss` damaged
    /// files are copied and their damaged parts left out, unless the last start accepted losses too. Sessions that were
    /// moved away are refused, unless a move to `place` is resumed.
    package init(
        directory: String, makesParents: Bool = false, durability: Durability, historyCapacity: Int, boot: String = "",
        acceptsLoss: Bool = false, resumingTo place: String? = nil
    ) throws(StoreError) {
        self.directory = directory
        self.durability = durability
        self.historyCapacity = Int64(max(0, historyCapacity))
        var dataDirectory = try DataDirectory(directory, makesParents: makesParents)
        try MovedNote(in: dataDirectory.path).check(unless: place)
        let header = try DatabaseHeader.read(dataDirectory.database)
        mark = try MarkFile(in: dataDirectory.path)
        var opening = DatabaseOpener(dataDirectory.database, durability, boot: boot, mark: mark, acceptsLoss: acceptsLoss)
        opening.rememberOption()
        open = if let header { try opening.open(header, leftBy: dataDirectory.lastDatabase) } else { try opening.make() }
        try dataDirectory.lockNewDatabase()
        self.opening = opening
        files = OwnFiles(of: dataDirectory.database)
        self.dataDirectory = consume dataDirectory
        try begin()
    }

    private func begin() throws(StoreError) {
        cursors = try StoreCursors(reading: opened.connection)
        if opening.acceptsLoss { try inspectRows() }
        findings = opening.findings
        let identity = try DatabaseIdentity.of(opened.connection)
        dataDirectory?.remember(database: identity)
        // The previous process may have died before syncing acknowledged data. If this fails, the first `sync` retries.
        let isSynced = (try? opened.wal.sync()) != nil
        if !mark.prepare() {
            findings.record("\(MarkFile.name) cannot be written: a loss at the end of the database will not be detected")
        }
        mark.set(
            Mark(
                database: identity ?? 0, acknowledged: cursors.lastLog,
                synced: isSynced ? cursors.lastLog : min(mark.mark.synced, cursors.lastLog), durability: durability,
                boot: opening.boot, hasAccepted: opening.isToAcceptLoss, checkpoint: opening.lastCheckpoint(of: identity)))
    }

    /// Where losses are accepted, rows are checked before anything is written: a copy is made if one is damaged.
    private func inspectRows() throws(StoreError) {
        let newest = cursors.newestSerial
        // Every block is read, since the number of the newest one may be damaged.
        cursors.newestSerial = -1
        do {
            try read(sessions: { _ in }, history: { _ in }, log: { _, _ in })
        } catch {
            throw error as? StoreError ?? StoreError(.failed, "\(error)")
        }
        cursors.newestSerial = newest
        guard findings.hasLoss else { return }
        open = nil
        open = try opening.openWithCopy()
        let lost = lostHistory.lazy.filter { $0.table == .history }.map(\.number)
        if !lost.isEmpty { try cursors.leaveOut(blocks: Set(lost), opened.connection) }
    }

    deinit {
        closeDatabase()
    }

    /// Release the lock last: no other daemon may open the directory while the database is open.
    private func closeDatabase() {
        open = nil
        dataDirectory = nil
    }

    /// The connection and its statements. Using a closed store is a programmer's mistake.
    var opened: OpenStore {
        guard let open else { preconditionFailure("the store of \(directory) has been closed") }
        return open
    }

    /// Checkpoints and closes. Without it nothing is lost.
    package func close() throws(StoreError) {
        guard let open else { return }
        backup?.cancel()
        // A reader can keep the log from being checkpointed, so it is synced first.
        try open.wal.sync()
        try open.wal.checkpointAndTruncate()
        // Another database's log may be in the place of ours.
        try files.check()
        mark.change { $0.synced = $0.acknowledged }
        open.connection.removeLogOnClose()
        closeDatabase()
    }

    /// Closes it as it is, on a disk that may be full. The directory is free then.
    func abandon() {
        backup?.cancel()
        closeDatabase()
    }

    package var displacement: StoreError? { files.displacement }

    package func takeFindings() -> [Finding] { exchange(&findings, with: Findings()).all }

    // MARK: Transactions

    /// Atomic; can be retried after a failure.
    func transaction(_ body: (OpenStore) throws(StoreError) -> Void) throws(StoreError) {
        let (open, before) = (opened, cursors)
        do throws(StoreError) {
            open.connection.rollBack()
            try open.begin.run()
            try body(open)
            try open.commit.run()
            open.wal.hasUnsyncedCommits = durability == .everysec
        } catch {
            open.connection.rollBack()
            cursors = before
            throw error
        }
    }
}

// MARK: - Findings when the store was opened

/// Rows are known by their numbers: one that is read twice counts once.
struct Findings {
    /// Rows without a checksum, by table.
    var unsealed: [Table: Set<Int64>] = [:]
    /// Rows that differ from the written ones, and rows that cannot be read. They are left out if the operator accepted that.
    var broken: [Table: Set<Int64>] = [:]
    var unreadable: [Table: Set<Int64>] = [:]
    /// Everything else.
    var others: [Finding] = []

    var hasLoss: Bool { !broken.isEmpty || !unreadable.isEmpty || others.contains(where: \.isLoss) }

    mutating func record(_ sentence: String, isLoss: Bool = false) {
        others.append(Finding(sentence: sentence, isLoss: isLoss))
    }

    var all: [Finding] {
        others
            + Self.findings(unsealed, isLoss: false) { table, rows, isOne in
                "\(rows) of the table '\(table.rawValue)' \(isOne ? "carries" : "carry") no checksum: accepted unverified (edited by hand)"
            }
            + Self.findings(broken, isLoss: true) { table, rows, isOne in
                "\(rows) of the table '\(table.rawValue)' \(isOne ? "is" : "are") damaged, and "
                    + (table == .sessions ? "set aside" : "left out")
            }
            + Self.findings(unreadable, isLoss: true) { table, rows, _ in
                "\(rows) of the table '\(table.rawValue)' cannot be read: left out"
            }
    }

    private static func findings(
        _ rows: [Table: Set<Int64>], isLoss: Bool, _ sentence: (Table, _ rows: String, _ isOne: Bool) -> String
    ) -> [Finding] {
        Table.allCases.compactMap { table in
            rows[table].map {
                Finding(sentence: sentence(table, $0.count == 1 ? "1 row" : "\($0.count) rows", $0.count == 1), isLoss: isLoss)
            }
        }
    }
}

// MARK: - Work that can wait until the store is idle

extension SQLiteStore {
    /// Does one bounded piece: deletes log rows that the tables cover, or blocks of history beyond the capacity (more than a few only
    /// after the capacity was made smaller), or checkpoints. Returns whether there is more.
    package func maintain(_ shards: [Shard]) throws(StoreError) -> Bool {
        if cursors.oldestLog <= cursors.covered {
            try transaction { open throws(StoreError) in try trimLog(open, atMost: Self.trimmedPerPiece) }
            return true
        }
        if cursors.oldestSerial <= lastSerialToPrune {
            try transaction { open throws(StoreError) in try pruneHistory(open, atMost: Self.prunedPerPiece) }
            return true
        }
        try opened.wal.checkpoint(minPages: WriteAheadLog.idlePages)
        // The page cache is not read while idle, and fills again with the next change.
        sqlite3_db_release_memory(opened.connection.handle)
        return false
    }

    private static var trimmedPerPiece: Int64 { 16 }
    private static var prunedPerPiece: Int64 { 10_000 }

    var lastSerialToPrune: Int64 { cursors.newestSerial - historyCapacity }

    /// Deletes the oldest blocks that have nothing within the capacity.
    func pruneHistory(_ open: OpenStore, atMost count: Int64) throws(StoreError) {
        guard cursors.oldestSerial <= lastSerialToPrune else { return }
        let last = min(lastSerialToPrune, cursors.oldestSerial + count - 1)
        open.pruneHistory.bind(1, last)
        try open.pruneHistory.run()
        try open.pruneRepeats.run()
        Failpoint.hit("during-pruning")
        cursors.oldestSerial = last + 1
    }
}

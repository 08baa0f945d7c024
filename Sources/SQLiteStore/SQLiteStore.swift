// A store in one SQLite database. It knows tables and bytes, and no flows.

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
    private var opening: DatabaseOpener
    let mark: MarkFile
    var files: OwnFiles
    /// The backup in progress.
    package weak var backup: StoreBackup?

    /// Opens the database, or makes one. A refused one is left as it was, byte for byte.
    ///
    /// `boot` identifies this boot of the machine; it decides what may be missing after a loss of power. With `acceptsLoss` damaged
    /// files are copied and their damaged parts left out, unless the last start accepted losses too. With `ignoresNote` the sessions may
    /// have been moved away.
    package init(
        directory: String, makesParents: Bool = false, durability: Durability, historyCapacity: Int, boot: String = "",
        acceptsLoss: Bool = false, ignoresNote: Bool = false
    ) throws(StoreError) {
        self.directory = directory
        self.durability = durability
        self.historyCapacity = Int64(max(0, historyCapacity))
        let dataDirectory = try DataDirectory(directory, makesParents: makesParents)
        if !ignoresNote { try MovedNote(in: dataDirectory.path).check() }
        let header = try DatabaseHeader.read(dataDirectory.database)
        mark = try MarkFile(in: dataDirectory.path)
        var opening = DatabaseOpener(dataDirectory.database, durability, boot: boot, mark: mark, acceptsLoss: acceptsLoss)
        opening.rememberOption()
        let open: OpenStore
        if let header {
            open = try opening.open(header, leftBy: dataDirectory.lastDatabase)
        } else {
            open = try opening.make()
        }
        self.opening = opening
        self.open = open
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
        // The process before may have died before it synced what clients are about to see. If this fails, the first `sync` tries
        // again.
        let isSynced = (try? opened.wal.sync()) != nil
        if !mark.prepare() {
            findings.record("\(MarkFile.name) cannot be written: what a damaged disk loses at the end would not be noticed")
        }
        mark.set(
            Mark(
                database: identity ?? 0, acknowledged: cursors.lastLog,
                synced: isSynced ? cursors.lastLog : min(mark.mark.synced, cursors.lastLog), durability: durability,
                boot: opening.boot, hasAccepted: opening.isToAcceptLoss))
    }

    /// Where losses are accepted, rows are checked before anything is written: a copy is made if one is damaged.
    private func inspectRows() throws(StoreError) {
        do {
            try load(sessions: { _ in }, history: { _ in }, log: { _, _ in })
        } catch {
            throw error as? StoreError ?? StoreError(.failed, "\(error)")
        }
        guard findings.hasLoss else { return }
        open = nil
        open = try opening.openWithCopy()
    }

    deinit {
        closeDatabase()
    }

    /// The lock goes last: no other daemon may enter while the database is open.
    private func closeDatabase() {
        open = nil
        dataDirectory = nil
    }

    /// The connection and its statements. Using a closed store is a programmer's mistake.
    var opened: OpenStore {
        guard let open else { preconditionFailure("the store of \(directory) has been closed") }
        return open
    }

    /// A clean end: everything is in the database file, and its log is gone. Without it nothing is lost either.
    package func close() throws(StoreError) {
        guard let open else { return }
        backup?.cancel()
        // A reader can keep the log from being checkpointed, so it is synced first.
        try open.wal.sync()
        try open.wal.emptyIntoDatabase()
        // Another database's log may be in the place of ours.
        try files.check()
        mark.change { $0.synced = $0.acknowledged }
        open.connection.removeLogOnClose()
        closeDatabase()
    }

    package func takeFindings() -> [Finding] {
        defer { findings = Findings() }
        return findings.all
    }

    package var acceptsLoss: Bool { opening.acceptsLoss }
    package func lost(_ how: String) -> StoreError { opening.lost(how) }

    // MARK: Transactions

    /// Everything or nothing. After a failure it can be repeated.
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

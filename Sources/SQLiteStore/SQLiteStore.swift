// A daemon's sessions and what has happened to them, in one SQLite database. It knows tables and bytes, and nothing of flows.

import Glibc
import Store

/// A data directory, held from `init` to `close`. A batch is one row of the log: one commit, one write in a row.
package final class SQLiteStore: Store {
    package let directory: String
    package let durability: Durability
    package let historyCapacity: Int64
    private var dataDirectory: DataDirectory?
    private var open: OpenStore?
    var cursors = StoreCursors()
    var findings = Findings()
    private var opening: Opening
    let mark: MarkFile
    var files: OwnFiles
    /// The one that is under way.
    package weak var backup: StoreBackup?

    /// Opens what is there, or makes it. Whatever is refused is left as it was, byte for byte.
    ///
    /// `boot` names this start of the machine: what may be missing after a loss of power is known by it. With `acceptsLoss` what is
    /// damaged is kept aside and left out, if the last start was not one like that.
    package init(
        directory: String, durability: Durability, historyCapacity: Int, boot: String = "", acceptsLoss: Bool = false
    ) throws(StoreError) {
        self.directory = directory
        self.durability = durability
        self.historyCapacity = Int64(max(0, historyCapacity))
        let dataDirectory = try DataDirectory(directory)
        let header = try DatabaseHeader.read(dataDirectory.database)
        mark = try MarkFile(in: dataDirectory.path)
        var opening = Opening(dataDirectory.database, durability, boot: boot, mark: mark, acceptsLoss: acceptsLoss)
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
        // What is about to be told as the truth may have been written by a process that died before it was synced. If that fails
        // now, the first `sync` tries again.
        let isSynced = (try? opened.wal.sync()) != nil
        if !mark.prepare() {
            findings.note("\(MarkFile.name) cannot be written: what a damaged disk loses at the end would not be noticed")
        }
        mark.set(
            Mark(
                database: identity ?? 0, acknowledged: cursors.lastLog,
                synced: isSynced ? cursors.lastLog : min(mark.mark.synced, cursors.lastLog), durability: durability,
                boot: opening.boot, hasAccepted: opening.isToAcceptLoss))
    }

    /// Where losses are accepted, rows are looked at before anything is written: a copy is kept if one of them is damaged.
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
        letGo()
    }

    /// Nobody may come in while the database is open: so the lock goes last.
    private func letGo() {
        open = nil
        dataDirectory = nil
    }

    /// The connection and its statements. Whoever uses a store that has been closed has made a mistake.
    var opened: OpenStore {
        guard let open else { preconditionFailure("the store of \(directory) has been closed") }
        return open
    }

    /// A clean end: everything is in the database itself, and its log is gone. Without it nothing is lost either.
    package func close() throws(StoreError) {
        guard let open else { return }
        backup?.cancel()
        // A reader may keep it in the log: then it has to be safe there.
        try open.wal.sync()
        try open.wal.emptyIntoDatabase()
        // Another's log may lie where ours was.
        try files.check()
        mark.change { $0.synced = $0.acknowledged }
        open.connection.removeLogOnClose()
        letGo()
    }

    package func takeFindings() -> [Finding] {
        defer { findings = Findings() }
        return findings.all
    }

    package var acceptsLoss: Bool { opening.acceptsLoss }
    package func lost(_ how: String) -> StoreError { opening.lost(how) }

    // MARK: Transactions

    /// Everything or nothing; after a failure it can be tried again as if it had never been tried.
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

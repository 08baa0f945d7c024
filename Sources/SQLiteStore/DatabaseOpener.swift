// Opens a data directory: first finds out whether anything is missing, and only then writes.

import Glibc
import Store

/// One start's opening of its database.
struct DatabaseOpener {
    let database: String
    let durability: Durability
    let boot: UInt64
    let mark: MarkFile
    /// Whether --accept-loss is given. It counts for one start, and does nothing if the last one had it too.
    let isToAcceptLoss: Bool
    private let wasAcceptingLast: Bool
    var findings = Findings()
    private var hasCopy = false

    init(_ database: String, _ durability: Durability, boot: String, mark: MarkFile, acceptsLoss: Bool) {
        self.database = database
        self.durability = durability
        self.boot = Mark.boot(boot)
        self.mark = mark
        isToAcceptLoss = acceptsLoss
        wasAcceptingLast = mark.mark.hasAccepted
        if acceptsLoss, wasAcceptingLast { findings.record(Self.usedUp) }
    }

    var acceptsLoss: Bool { isToAcceptLoss && !wasAcceptingLast }

    private static let usedUp = "--accept-loss was used for the last start already: start once without it"

    /// The error for a loss that was not accepted.
    func lost(_ how: String) -> StoreError {
        let error = StoreError.lost(database, how)
        return isToAcceptLoss ? StoreError(error.cause, "\(error); but \(Self.usedUp)") : error
    }

    /// Records the option for the next start, even if this one fails.
    func rememberOption() {
        guard isToAcceptLoss != wasAcceptingLast else { return }
        _ = mark.prepare()
        mark.change { $0.hasAccepted = isToAcceptLoss }
    }

    // MARK: Opening

    /// Opens the database. `leftBy` is the one that the lock file remembers.
    mutating func open(_ header: DatabaseHeader, leftBy lockIdentity: Int64?) throws(StoreError) -> OpenStore {
        try check(header, leftBy: lockIdentity)
        var judgement = LossJudgement.whole
        do throws(StoreError) {
            let open = try OpenStore(database, durability) { [self] connection throws(StoreError) in
                judgement = try judge(connection, header)
                if case .damaged(let how) = judgement { throw lost(how) }
            }
            if case .noted(let what) = judgement { findings.record(what) }
            return open
        } catch {
            guard acceptsLoss, case .damaged(let how) = judgement else { throw error }
            findings.record("\(how): accepted", isLoss: true)
            return try openWithCopy()
        }
    }

    /// Throws if the files show, without SQLite, that they cannot be used.
    func check(_ header: DatabaseHeader, leftBy lockIdentity: Int64?) throws(StoreError) {
        let hasLog = !Self.isEmpty(database + "-wal")
        try header.check(database, hasLog: hasLog)
        if hasLog { try DatabaseIdentity.checkLog(of: database, leftBy: known ?? lockIdentity) }
    }

    /// Opens the damaged database, once a copy of it has been made.
    mutating func openWithCopy() throws(StoreError) -> OpenStore {
        if !hasCopy {
            findings.record("the damaged files are kept as \(try DamagedCopy.make(of: database))")
            hasCopy = true
        }
        return try OpenStore(database, durability) { _ in }
    }

    /// The database that the mark belongs to.
    private var known: Int64? { mark.mark.database == 0 ? nil : mark.mark.database }

    private func judge(_ connection: Connection, _ header: DatabaseHeader) throws(StoreError) -> LossJudgement {
        let evidence = LossEvidence(
            found: mark.found, database: try DatabaseIdentity.of(connection), boot: boot,
            reached: try StoreCursors(reading: connection).lastLog)
        // SQLite has read the log by now, and has not written to it.
        return try evidence.judge { () throws(StoreError) in
            try LogFile.load(at: database + "-wal", pageSize: header.pageSize)
        }
    }

    // MARK: Making

    /// Makes a new database.
    func make() throws(StoreError) -> OpenStore {
        try checkIsNew()
        try Schema.create(database)
        return try OpenStore(database, durability) { _ in }
    }

    /// Throws if a log or the mark shows that there was a database.
    func checkIsNew() throws(StoreError) {
        guard Self.isEmpty(database + "-wal") else {
            throw StoreError(
                .damaged,
                "\(database) is missing, and its \(database)-wal is there; put it back, or move the other away to begin anew")
        }
        guard known == nil else {
            throw StoreError(
                .damaged,
                "\(database) is missing, and the \(MarkFile.name) beside it says that there was one; put it back, or a backup in its "
                    + "place, or move \(MarkFile.name) away to begin anew")
        }
    }

    /// Empty or missing.
    private static func isEmpty(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_size == 0
    }
}

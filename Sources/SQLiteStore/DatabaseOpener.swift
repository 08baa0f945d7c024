// Opens a data directory: first finds out whether anything is missing, and only then writes.

import CSQLite
import Glibc
import Posix
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
        var reached: Int64?
        var shortened: String?
        do throws(StoreError) {
            let open = try OpenStore(database, durability, mark) { [self] connection throws(StoreError) in
                let found = LossEvidence(
                    found: mark.found, database: try DatabaseIdentity.of(connection), boot: boot,
                    reached: try StoreCursors(reading: connection).lastLog)
                reached = found.reached
                if let how = try damageOfCheckpointedLog(header) {
                    let isReadable = (try? Schema.checkStructure(connection)) != nil
                    shortened = isReadable ? how : nil
                    throw .damaged(database, how)
                }
                judgement = try found.judge { () throws(StoreError) in try loadLog(header) }
                if case .damaged(let how) = judgement { throw lost(how) }
            }
            if case .noted(let what) = judgement { findings.record(what) }
            return open
        } catch {
            if let open = try openWithoutLog(header, judgement, withLog: reached, after: error) { return open }
            guard let how = judgement.damage ?? shortened else { throw error }
            guard acceptsLoss else { throw lost(how) }
            findings.record("\(how): accepted", isLoss: true)
            return try openWithCopy()
        }
    }

    /// Throws if the files show, without SQLite, that they cannot be used.
    func check(_ header: DatabaseHeader, leftBy lockIdentity: Int64?) throws(StoreError) {
        let hasLog = !Self.isEmpty(database + "-wal")
        try header.check(database, hasLog: hasLog)
        let last = known ?? lockIdentity
        if hasLog { try DatabaseIdentity.checkLog(of: database, leftBy: last) }
        if !hasLog, header.hasSecondName { try DatabaseIdentity.checkLink(database, last) }
    }

    /// Opens the damaged database, once a copy of it has been made.
    mutating func openWithCopy() throws(StoreError) -> OpenStore {
        try makeCopy()
        return try OpenStore(database, durability, mark) { _ in }
    }

    private mutating func makeCopy() throws(StoreError) {
        guard !hasCopy else { return }
        findings.record("the damaged files are kept as \(try DamagedCopy.make(of: database))")
        hasCopy = true
    }

    /// Opens the database without its damaged log, if the file alone has every acknowledged change; or if losses are accepted
    /// and the file alone has more than can be read with the log. Otherwise nothing has changed: it returns nil if the log is
    /// better, and else throws `error` with the advice to accept that.
    ///
    /// A checkpoint copies the log's pages into the file, and the log keeps them until later commits overwrite it. SQLite reads
    /// a log up to the first damaged frame. If the damage comes after the checkpoint, SQLite takes older pages from the log in
    /// place of newer ones in the file.
    private mutating func openWithoutLog(
        _ header: DatabaseHeader, _ judgement: LossJudgement, withLog reached: Int64?, after error: StoreError
    ) throws(StoreError) -> OpenStore? {
        guard error.cause == .damaged, !Self.isEmpty(database + "-wal"), let alone = FileAlone(database) else { return nil }
        if try isLogCovered(by: alone, header) {
            let kept = try DamagedLog.moveAside(of: database)
            findings.record(
                "\(database)-wal is damaged and was moved to \(kept): \(database) alone has every acknowledged change")
            return try OpenStore(database, durability, mark) { _ in }
        }
        let opensWithLog = judgement.damage != nil
        guard alone.reached >= max(1, (reached ?? 0) + (opensWithLog ? 1 : 0)) else { return nil }
        let withLog = reached.map { "up to \($0)" } ?? "unreadable"
        let acknowledged = known == alone.identity ? "up to \(mark.mark.acknowledged)" : "unknown"
        let batches =
            "batches of changes without the -wal: up to \(alone.reached); with it: \(withLog); acknowledged: \(acknowledged)"
        guard acceptsLoss else {
            // The error of a judgement says so already.
            let isUsedUp = isToAcceptLoss && !opensWithLog
            throw StoreError(
                .damaged,
                "\(error); \(batches); --accept-loss continues without the -wal" + (isUsedUp ? "; but \(Self.usedUp)" : ""))
        }
        findings.record("the damaged -wal is left out (\(batches)): accepted", isLoss: true)
        try makeCopy()
        let kept = try DamagedLog.moveAside(of: database)
        findings.record("the damaged -wal was moved to \(kept)")
        return try OpenStore(database, durability, mark) { _ in }
    }

    /// Whether the file alone has every acknowledged change.
    private func isLogCovered(by alone: FileAlone, _ header: DatabaseHeader) throws(StoreError) -> Bool {
        guard known == alone.identity, alone.reached >= mark.mark.acknowledged, let checkpoint = mark.mark.checkpoint else {
            return false
        }
        // After a reboot the mark may be an older version, so the log must be the one that it names.
        if isSameBoot { return true }
        return try loadLog(header, of: checkpoint)?.isCovered(by: checkpoint) == true
    }

    /// How the log was damaged after its checkpoint, which SQLite may not notice; nil if it was not.
    private func damageOfCheckpointedLog(_ header: DatabaseHeader) throws(StoreError) -> String? {
        guard let checkpoint = mark.mark.checkpoint, let log = try loadLog(header, of: checkpoint),
            log.lacksFrames(of: checkpoint)
        else { return nil }
        return log.breakage ?? "its -wal ends after \(log.scan.committedFrames) of \(checkpoint.frames) frames"
    }

    /// The last complete checkpoint of the open database. Nil if it is not known: after a reboot the mark may be an older
    /// version, and commits may overwrite checkpointed frames of a damaged log that was accepted.
    func lastCheckpoint(of identity: Int64?) -> CompleteCheckpoint? {
        isSameBoot && known == identity && !acceptsLoss ? mark.mark.checkpoint : nil
    }

    private var isSameBoot: Bool { boot != 0 && mark.mark.boot == boot }

    /// The database that the mark belongs to.
    private var known: Int64? { mark.mark.database == 0 ? nil : mark.mark.database }

    /// SQLite has read the log by then, and has not written to it.
    private func loadLog(
        _ header: DatabaseHeader, of checkpoint: CompleteCheckpoint? = nil
    ) throws(StoreError) -> LogFile? {
        try LogFile.load(at: database + "-wal", pageSize: header.pageSize, of: checkpoint)
    }

    // MARK: Making

    /// Makes a new database.
    func make() throws(StoreError) -> OpenStore {
        try checkIsNew()
        try Schema.create(database)
        return try OpenStore(database, durability, mark) { _ in }
    }

    /// Throws if a log or the mark shows that there was a database.
    func checkIsNew() throws(StoreError) {
        guard Self.isEmpty(database + "-wal") else {
            throw StoreError(
                .damaged,
                "\(database) is missing but \(database)-wal exists; restore \(database), or move the -wal away to start empty")
        }
        guard known == nil else {
            throw StoreError(
                .damaged,
                "\(database) is missing but \(MarkFile.name) exists; restore \(database) or a backup of it, or move "
                    + "\(MarkFile.name) away to start empty")
        }
    }

    /// Empty or missing.
    private static func isEmpty(_ path: String) -> Bool {
        FileStatus(at: path).map { $0.st_size == 0 } ?? true
    }
}

// MARK: - Tells whether a write-ahead log belongs to the database beside it

/// A random number that a database gets when it is made; a backup gets its own. The lock file remembers the last one opened.
enum DatabaseIdentity {
    static func of(_ connection: Connection) throws(StoreError) -> Int64? {
        try Meta.number(Meta.identity, connection)
    }

    /// Refuses a log that another database left behind.
    static func checkLog(of path: String, leftBy last: Int64?) throws(StoreError) {
        guard let last, let identity = withoutLog(path), identity != last else { return }
        throw StoreError(
            .damaged,
            "\(path)-wal belongs to another database than the \(path) next to it, and nothing was changed; if you have put a backup "
                + "in place, move the old gamed.db-wal and gamed.db-shm away too")
    }

    /// Refuses a hard link without a log where this database was not the last one open. The log of the other name can have
    /// acknowledged changes, and would later overwrite those that are made here.
    static func checkLink(_ path: String, _ last: Int64?) throws(StoreError) {
        guard let identity = withoutLog(path), identity != last else { return }
        throw StoreError(
            .unusable,
            "\(path) has a second name (a hard link), and was last open in another directory: the log beside the other name "
                + "can have changes that are missing here; start there, or stop that daemon cleanly and start with a copy of the file"
        )
    }

    /// Read from the file alone, without its log, and without writing. Nil if that fails; SQLite then reports why.
    private static func withoutLog(_ path: String) -> Int64? {
        guard let connection = try? Connection(path, .fileAlone) else { return nil }
        return try? of(connection)
    }

    /// Gives a copy a new identity, so that it is a separate database.
    static func renew(_ connection: Connection) throws(StoreError) {
        let put = try Statement("INSERT OR REPLACE INTO meta VALUES (?, ?)", on: connection)
        try Meta.store(Meta.identity, .random(in: 1 ... .max), put)
    }
}

// MARK: - Copies a damaged database as it is

enum DamagedCopy {
    /// Copies the database, its log and its index beside them, replacing nothing, and returns the copy's name.
    static func make(of database: String) throws(StoreError) -> String {
        let copy = freeName(database)
        var made: [String] = []
        do throws(StoreError) {
            for ending in ["", "-wal", "-shm"] where access(database + ending, F_OK) == 0 {
                made.append(copy + ending)
                try self.copy(database + ending, to: copy + ending)
            }
            try Schema.syncDirectory(of: database)
        } catch {
            for path in made { unlink(path) }
            throw error
        }
        return copy
    }

    private static func freeName(_ database: String) -> String {
        var number = 1
        while ["", "-wal", "-shm"].contains(where: { access("\(database).damaged-\(number)\($0)", F_OK) == 0 }) { number += 1 }
        return "\(database).damaged-\(number)"
    }

    private static func copy(_ source: String, to target: String) throws(StoreError) {
        guard let input = Descriptor(open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) else {
            throw .system(errno, "\(source) cannot be opened")
        }
        guard let output = Descriptor(open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)) else {
            throw .system(errno, "cannot create \(target)")
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while case let count = read(input.number, &buffer, buffer.count), count != 0 {
            guard count > 0 else { throw .system(errno, "the file to copy as \(target) cannot be read") }
            guard output.write(all: Array(buffer[..<count])) else { throw .system(errno, "\(target) cannot be written") }
        }
        guard fsync(output.number) == 0 else { throw .system(errno, "\(target) cannot be written") }
    }
}

// MARK: - Judges whether something is missing at the log's end, and whether the durability allows that.

/// The daemon's reaction to the log's end.
enum LossJudgement: Equatable {
    case whole
    /// Go on, and log this.
    case noted(String)
    /// More is missing than the durability allows.
    case damaged(String)

    /// The missing part, if it is too large.
    var damage: String? { if case .damaged(let how) = self { how } else { nil } }
}

/// The evidence for the judgement.
struct LossEvidence {
    let found: MarkFile.Contents
    /// The database's identity; nil if it has none.
    let database: Int64?
    let boot: UInt64
    /// The last batch in the log.
    let reached: Int64

    /// `look` scans the log, which takes a while; it is called only where that can change the judgement.
    func judge(_ look: () throws(StoreError) -> LogFile?) throws(StoreError) -> LossJudgement {
        switch found {
        case .mark(let mark) where mark.database == database:
            let isSameBoot = boot != 0 && mark.boot == boot
            if isSameBoot, reached >= mark.acknowledged { return .whole }
            return judge(mark, isSameBoot, try look())
        // With another database's mark beside it, the database was put there by hand.
        case .mark, .nothing: return judge(try look())
        case .unreadable:
            if case .damaged(let how) = judge(try look()) { return .damaged(how) }
            return .noted(
                "\(MarkFile.name) is damaged: cannot detect whether the last changes are missing; it is rewritten")
        }
    }

    /// Judges by the log alone.
    private func judge(_ log: LogFile?) -> LossJudgement {
        guard let log, let breakage = log.breakage, log.hasTransactionsBehind else { return .whole }
        return .damaged(breakage)
    }

    private func judge(_ mark: Mark, _ isSameBoot: Bool, _ log: LogFile?) -> LossJudgement {
        let least = isSameBoot || mark.durability == .always ? mark.acknowledged : mark.synced
        if reached < least { return .damaged(missing(mark.acknowledged) + (log?.breakage.map { "; \($0)" } ?? "")) }
        if reached < mark.acknowledged {
            return .noted("\(missing(mark.acknowledged)), since the machine went down: \(mark.durability.rawValue) allows it")
        }
        guard let log, let breakage = log.breakage, log.hasTransactionsBehind else { return .whole }
        // After a reboot the mark itself may be an older version.
        if !isSameBoot, mark.durability == .always, log.scan.transactionsBehind != 1 { return .damaged(breakage) }
        return .noted("\(breakage); nothing that was acknowledged is missing")
    }

    private func missing(_ last: Int64) -> String {
        let count = last - reached
        return count == 1
            ? "the last batch of changes is missing, number \(last)"
            : "the last \(count) batches of changes are missing, numbers \(reached + 1) to \(last)"
    }
}

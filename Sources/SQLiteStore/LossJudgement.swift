// Judges whether something is missing at the log's end, and whether the durability allows that.

import Store

/// The daemon's reaction to the log's end.
enum LossJudgement: Equatable {
    case whole
    /// Go on, and log this.
    case noted(String)
    /// More is missing than the durability allows.
    case damaged(String)
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
                "\(MarkFile.name) is damaged: whether changes are missing at the end cannot be told; it is written anew")
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
        if !isSameBoot, mark.durability == .always, log.scan?.transactionsBehind != 1 { return .damaged(breakage) }
        return .noted("\(breakage); nothing that was acknowledged is missing")
    }

    private func missing(_ last: Int64) -> String {
        let count = last - reached
        return count == 1
            ? "the last batch of changes is missing, number \(last)"
            : "the last \(count) batches of changes are missing, numbers \(reached + 1) to \(last)"
    }
}

// Whether something is missing at the log's end, and whether the durability that was asked for allows it.

import Store

/// What was found out before anything is told.
enum LossJudgement: Equatable {
    case whole
    /// It goes on, and says so.
    case noted(String)
    /// More is missing than may be.
    case damaged(String)
}

/// All that there is to judge by.
struct LossEvidence {
    let found: MarkFile.Found
    /// Of the database; nil if it has none.
    let database: Int64?
    let boot: UInt64
    /// The last batch that is there.
    let reached: Int64

    /// The log is looked at only where that may change something: it takes a while.
    func judge(_ look: () throws(StoreError) -> LogFile?) throws(StoreError) -> LossJudgement {
        switch found {
        case .mark(let mark) where mark.database == database:
            let isSameBoot = boot != 0 && mark.boot == boot
            if isSameBoot, reached >= mark.acknowledged { return .whole }
            return judge(mark, isSameBoot, try look())
        // A database that another one's mark lies beside was put there by somebody.
        case .mark, .nothing: return judge(try look())
        case .unreadable:
            if case .damaged(let how) = judge(try look()) { return .damaged(how) }
            return .noted(
                "\(MarkFile.name) is damaged: whether changes are missing at the end cannot be told; it is written anew")
        }
    }

    /// By the log alone.
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
        // After another start of the machine the mark itself may be an older one.
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

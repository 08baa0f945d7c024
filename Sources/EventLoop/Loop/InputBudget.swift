// How much input one turn of the loop handles.

import Timers

/// Counts the pieces of input that a turn has handled, and says when it has handled enough. Both their number and the real time that they
/// take are bounded, since too long a turn makes timers late.
struct InputBudget {
    private static let maxPieces = 1_024
    /// Real time is read each time this many pieces are handled: sooner if they are long, and after each that can take long.
    private static let piecesBetweenChecks = 16
    /// A client waits for two turns at most, each of which may begin with work left over, in as long again.
    private static let maxNanoseconds: Int64 = 4_000_000
    /// The time for left-over work in a turn that has left input unread.
    private static let maxNanosecondsBesideInput: Int64 = 1_000_000
    /// A turn in which a timer becomes due ends early, but not before so long: turns have a cost of their own.
    private static let maxNanosecondsBesideTimers: Int64 = 200_000
    /// While others wait, a client's requests are handled for so long at once.
    private static let share: Int64 = 100_000

    private(set) var pieces = 0
    /// Whether the input that is being handled has to leave its rest to another turn: the budget is spent, or its share is and others wait.
    private(set) var mustYield = false
    /// When this budget began, and the share of the present input, in real time.
    private var (began, shareBegan, lastCheck) = (Instant.zero, Instant.zero, Instant.zero)
    private var limit = Self.maxNanoseconds
    private var nextCheck = 0
    /// The mean time of the pieces before the last check, in nanoseconds.
    private var pieceTime: Int64 = 1

    var isSpent: Bool { pieces >= Self.maxPieces }

    /// Counts pieces. True if real time has to be checked.
    mutating func count(_ count: Int) -> Bool {
        pieces &+= count
        return pieces >= nextCheck
    }

    /// The whole budget again, or what work left over gets of it.
    mutating func renew(at now: Instant, besideInput: Bool = false) {
        pieces = 0
        limit = besideInput ? Self.maxNanosecondsBesideInput : Self.maxNanoseconds
        (began, lastCheck) = (now, now)
        beginShare()
        setNextCheck(in: limit)
    }

    /// Input of another client follows.
    mutating func beginShare() {
        mustYield = isSpent
        shareBegan = lastCheck
    }

    /// Spends the budget if its time is up. `timer` is when the next timer fires, if it can fire in this turn.
    mutating func check(at now: Instant, timer: @autoclosure () -> Instant?, othersWait: @autoclosure () -> Bool) {
        let spent = now.nanoseconds(since: began)
        if pieces > 0 { pieceTime = max(1, spent / Int64(pieces)) }
        setNextCheck(in: min(limit - spent, Self.share))
        lastCheck = now
        if spent >= limit || spent >= Self.maxNanosecondsBesideTimers && (timer().map { $0 <= now } ?? false) {
            pieces = max(pieces, Self.maxPieces)
        }
        mustYield = isSpent || now.nanoseconds(since: shareBegan) >= Self.share && othersWait()
    }

    /// Before pieces as long as the last ones have used up the rest of the time.
    private mutating func setNextCheck(in rest: Int64) {
        let fitting = min(max(1, rest / pieceTime), Int64(Self.piecesBetweenChecks))
        nextCheck = min(pieces &+ Int(fitting), Self.maxPieces)
    }
}

/// How long turns took, from waking to sleeping again.
struct TurnTimes {
    private(set) var count = 0
    private(set) var all = DurationHistogram()
    private(set) var recent = SlidingMaximum()
    private var began = Instant.zero

    mutating func beginTurn(at now: Instant) {
        count &+= 1
        began = now
    }

    mutating func endTurn(at now: Instant) {
        let took = now.nanoseconds(since: began)
        all.count(took)
        recent.count(took, at: now)
    }
}

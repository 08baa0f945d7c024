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
    /// A turn in which a timer becomes due ends early, but not before so long: turns have a cost of their own.
    private static let maxNanosecondsBesideTimers: Int64 = 200_000

    private(set) var pieces = 0
    /// When this budget began, in real time.
    private var began = Instant.zero
    private var nextCheck = 0
    /// The mean time of the pieces before the last check, in nanoseconds.
    private var pieceTime: Int64 = 1

    var isSpent: Bool { pieces >= Self.maxPieces }

    /// Counts pieces. True if real time has to be checked.
    mutating func count(_ count: Int) -> Bool {
        pieces &+= count
        return pieces >= nextCheck
    }

    /// The whole budget again.
    mutating func renew(at now: Instant) {
        pieces = 0
        setNextCheck(in: Self.maxNanoseconds)
        began = now
    }

    /// Spends the budget if its time is up. `timer` is when the next timer fires, if it can fire in this turn.
    mutating func check(at now: Instant, timer: @autoclosure () -> Instant?) {
        let spent = now.nanoseconds(since: began)
        if pieces > 0 { pieceTime = max(1, spent / Int64(pieces)) }
        setNextCheck(in: Self.maxNanoseconds - spent)
        guard spent >= Self.maxNanosecondsBesideTimers else { return }
        if spent >= Self.maxNanoseconds || (timer().map { $0 <= now } ?? false) { pieces = max(pieces, Self.maxPieces) }
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

// The daemon's loop, and its turn.

import Glibc
import Timers

/// One thread, one libevent base, one timekeeper. A turn:
///
/// 1. wake, and take `now` once;
/// 2. fire the timers that are due;
/// 3. handle the input that has arrived, each piece with the zero timers that it arms;
/// 4. and 5. run the callbacks for the end of the turn: first the journal's, then those that release output;
/// 6. sleep until the next deadline or input.
package final class Loop {
    package let timekeeper: Timekeeper
    package let base: EventBase
    private let alarm: Alarm
    @exclusivity(unchecked) private var phase = Phase.asleep
    /// Work for the end of the turn: a queue, not a setting.
    @exclusivity(unchecked) private var endOfTurn: [() -> Void] = []
    /// Work for the next turn, which does not wait if there is any.
    @exclusivity(unchecked) private var leftOver: [() -> Void] = []
    private var isStopping = false
    /// Called when a turn begins, before any timer fires. Set by a node alone, which is made after the loop; nil costs a turn one comparison.
    package var atWake: (() -> Void)?
    /// While this is set no timer fires; those that fall due fire in order once it is cleared.
    @exclusivity(unchecked) package var holdsTimers = false {
        didSet { if !holdsTimers { soon {} } }
    }
    /// Fires what is due in place of the loop, bit by bit. Its owner clears this before it is gone: another reference would cost each request.
    @exclusivity(unchecked) package unowned(unsafe) var stepper: (any DueTimerStepper)?
    /// Pieces of input handled in this turn. They are bounded, since too long a turn makes timers late.
    @exclusivity(unchecked) package private(set) var pieces = 0
    private static let mostPieces = 1_024
    /// So many bytes of input or output count as a piece.
    private static let bytesOfPiece = 1_024
    /// Real time is bounded, too. The loop reads it once in so many pieces, more often if they are long, and after each that can take long.
    private static let piecesBetweenLooks = 16
    /// A client waits for two turns at most, each of which may begin with work left over, in as long again.
    private static let longest: Int64 = 4_000_000
    /// A turn in which a timer becomes due ends early, but not before so long: turns have a cost of their own.
    private static let longestBesideTimers: Int64 = 200_000
    @exclusivity(unchecked) private var nextLook = 0
    /// The mean time of the pieces before the last look, in nanoseconds.
    @exclusivity(unchecked) private var pieceTime: Int64 = 1
    @exclusivity(unchecked) private var began = Instant.zero
    /// Real time, also where flows run on virtual time.
    package var watch: any TimeSource = SystemClock()
    /// The number of turns so far.
    @exclusivity(unchecked) package private(set) var turns = 0
    /// How long they took, from waking to sleeping again.
    @exclusivity(unchecked) package private(set) var turnTimes = DurationHistogram()
    @exclusivity(unchecked) private var recentTurns = RecentMost()
    @exclusivity(unchecked) private var woke = Instant.zero
    /// Virtual time does not pass by waiting.
    private let sleepsUntilDeadlines: Bool

    private enum Phase {
        /// Between two turns.
        case asleep
        /// `now` has been taken, and what was due has fired.
        case awake
    }

    package init(_ timekeeper: Timekeeper = Timekeeper()) throws(LoopFailure) {
        self.timekeeper = timekeeper
        base = try EventBase()
        alarm = try Alarm(on: base)
        sleepsUntilDeadlines = !(timekeeper.source is VirtualClock)
    }

    /// Calls `body` at the end of every turn, in the order of registration.
    package func atEndOfTurn(_ body: @escaping () -> Void) {
        endOfTurn.append(body)
    }

    /// Calls `body` in the next turn, among the input: for unfinished work that yields to other input.
    package func soon(_ body: @escaping () -> Void) {
        leftOver.append(body)
    }

    /// Runs turns until `stop` is called.
    package func run() throws(LoopFailure) {
        isStopping = false
        while !isStopping { try turn() }
    }

    /// Makes the current turn the last.
    package func stop() {
        isStopping = true
    }

    package func turn() throws(LoopFailure) {
        if sleepsUntilDeadlines {
            try alarm.set(for: holdsTimers ? nil : timekeeper.nextWake) { timekeeper.source.now }
        }
        if leftOver.isEmpty {
            try base.waitOnce()
            wake()
        } else {
            let bodies = leftOver
            leftOver = []
            try base.look()
            wake()
            takeUp(bodies)
        }
        for body in endOfTurn { body() }
        phase = .asleep
        countTurn()
    }

    private func countTurn() {
        let now = watch.now
        let took = now.nanoseconds(since: woke)
        turnTimes.count(took)
        recentTurns.count(took, at: now)
    }

    /// The longest turn of the last five seconds.
    package var longestTurnOfLate: Duration { .nanoseconds(recentTurns.most(at: watch.now)) }

    /// Handles one piece of input, after the timers that are due; timers that it makes due fire before any other input.
    package func receive(_ handle: () -> Void) {
        wake()
        handle()
        settle()
    }

    /// Whether a turn has begun and is not over.
    package var isUnderWay: Bool { phase == .awake }

    /// Whether this turn's bound is reached. An input with more pieces continues in the next turn.
    package var isFull: Bool { pieces >= Self.mostPieces }

    /// Counts handled pieces of input; a long piece counts as several. At the turn's bound, other input waits for the next turn.
    package func hasHandled(_ count: Int) {
        pieces &+= count
        if pieces >= nextLook || timekeeper.mayHaveTakenLong { look() }
    }

    /// Counts bytes read or written.
    package func hasSpent(bytes: Int) { hasHandled(bytes / Self.bytesOfPiece) }

    /// Time that is up fills the turn.
    private func look() {
        timekeeper.mayHaveTakenLong = false
        let now = watch.now
        let spent = now.nanoseconds(since: began)
        if pieces > 0 { pieceTime = max(1, spent / Int64(pieces)) }
        setNextLook(Self.longest - spent)
        if isTimeUp(spent, at: now) { pieces = max(pieces, Self.mostPieces) }
        if pieces >= Self.mostPieces { base.breakOff() }
    }

    private func isTimeUp(_ spent: Int64, at now: Instant) -> Bool {
        if spent < Self.longestBesideTimers { return false }
        if spent >= Self.longest { return true }
        guard sleepsUntilDeadlines, !holdsTimers, let wake = timekeeper.nextWake else { return false }
        return wake <= now
    }

    /// Before pieces as long as the last ones have used up the rest of the turn's time.
    private func setNextLook(_ rest: Int64) {
        let fitting = min(max(1, rest / pieceTime), Int64(Self.piecesBetweenLooks))
        nextLook = min(pieces &+ Int(fitting), Self.mostPieces)
    }

    /// The budget is whole again.
    private func renew() {
        pieces = 0
        setNextLook(Self.longest)
        began = watch.now
    }

    /// Fires timers that have become due in this turn. An input that handles several pieces at once calls it after each.
    package func settle() {
        if timekeeper.hasDue { fireDue() }
        if timekeeper.mayHaveTakenLong { look() }
    }

    /// Runs the work left over from the last turn. It gets a bound of its own, so that it is not starved by input.
    private func takeUp(_ bodies: [() -> Void]) {
        renew()
        for body in bodies { receive(body) }
    }

    /// Takes the time and fires what is due. Only the first call of a turn has an effect.
    private func wake() {
        guard phase == .asleep else { return }
        phase = .awake
        turns &+= 1
        timekeeper.beginTurn()
        renew()
        woke = began
        alarm.passed(timekeeper.now)
        atWake?()
        fireDue()
    }

    private func fireDue() {
        guard !holdsTimers else { return }
        if let stepper { stepper.fireDueTimers() } else { timekeeper.fireDue() }
    }
}

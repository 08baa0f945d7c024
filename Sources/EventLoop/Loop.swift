// The loop of the daemon, and what makes up a turn of it.

import Glibc
import Timers

/// One thread, one libevent base, one timekeeper. A turn:
///
/// 1. wake, and take `now` once;
/// 2. fire the timers that are due;
/// 3. handle the input that has arrived, each piece with the zero timers that it arms;
/// 4. and 5. tell those who asked to be told at the end of the turn: first the journal, then whoever releases output;
/// 6. sleep until the next deadline or input.
package final class Loop {
    package let timekeeper: Timekeeper
    let base: EventBase
    private let alarm: Alarm
    @exclusivity(unchecked) private var phase = Phase.asleep
    @exclusivity(unchecked) private var endOfTurn: [() -> Void] = []
    /// What is to be done in the next turn, which does not wait then.
    @exclusivity(unchecked) private var leftOver: [() -> Void] = []
    @exclusivity(unchecked) private var isStopping = false
    /// Nothing fires while this is set: what falls due waits, and then fires in order.
    @exclusivity(unchecked) package var holdsTimers = false {
        didSet { if !holdsTimers { soon {} } }
    }
    /// Pieces of input in this turn. A turn of too many would make timers late, which only fire between turns.
    @exclusivity(unchecked) private var pieces = 0
    private static let mostPieces = 1_024
    /// How many turns there have been.
    @exclusivity(unchecked) package private(set) var turns = 0
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

    /// Has `body` called at the end of every turn, in the order of these calls.
    package func atEndOfTurn(_ body: @escaping () -> Void) {
        endOfTurn.append(body)
    }

    /// Has `body` called in the next turn, among the input: for work that is not finished and lets others have their turn first.
    package func soon(_ body: @escaping () -> Void) {
        leftOver.append(body)
    }

    /// Turns until somebody calls `stop`.
    package func run() throws(LoopFailure) {
        isStopping = false
        while !isStopping { try turn() }
    }

    /// Lets the turn that is under way be the last.
    package func stop() {
        isStopping = true
    }

    package func turn() throws(LoopFailure) {
        if sleepsUntilDeadlines {
            try alarm.set(for: holdsTimers ? nil : timekeeper.nextWake) { timekeeper.source.now }
        }
        let bodies = leftOver
        leftOver = []
        if bodies.isEmpty { try base.waitOnce() } else { try base.look() }
        wake()
        takeUp(bodies)
        for body in endOfTurn { body() }
        phase = .asleep
    }

    /// Handles one piece of input: after what is due, and before any other input, what it makes due.
    package func receive(_ handle: () -> Void) {
        wake()
        handle()
        settle()
    }

    /// Whether enough has been done in this turn: whoever has several pieces of input goes on in the next.
    package var isFull: Bool { pieces >= Self.mostPieces }

    /// So many pieces of input have been handled; what takes as long as many counts as so many. If that is enough for a turn, the others have theirs in the next.
    package func hasHandled(_ count: Int) {
        pieces &+= count
        if pieces >= Self.mostPieces { base.breakOff() }
    }

    /// Fires what has become due in this turn: whoever handles several pieces of input in one go calls it after each.
    package func settle() {
        if timekeeper.hasDue { fireDue() }
    }

    /// What the turn before has left over. Whoever has waited is not to wait for ever because others always come first: they have
    /// as much time as those.
    private func takeUp(_ bodies: [() -> Void]) {
        guard !bodies.isEmpty else { return }
        pieces = 0
        for body in bodies { receive(body) }
    }

    /// Takes the time and fires what is due; only the first call of a turn does anything.
    private func wake() {
        guard phase == .asleep else { return }
        phase = .awake
        turns &+= 1
        pieces = 0
        timekeeper.beginTurn()
        alarm.passed(timekeeper.now)
        fireDue()
    }

    private func fireDue() {
        if !holdsTimers { timekeeper.fireDue() }
    }
}

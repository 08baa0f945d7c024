// The daemon's loop, and its turn.

import CEvent
import Glibc
import Posix
import Timers

/// One thread, one libevent base, one timekeeper. A turn:
///
/// 1. wake, and take `now` once;
/// 2. fire the timers that are due; after 4 ms, the rest of them in the next turns;
/// 3. handle the input that has arrived, each piece with the zero timers that it arms;
/// 4. and 5. have the delegate end the turn: first the journal's, then the output's;
/// 6. sleep until the next deadline or input.
package final class Loop {
    package let timekeeper: Timekeeper
    package let base: EventBase
    private let alarm: Alarm
    /// Whether the turn has read `now` and fired the due timers; otherwise the loop is between two turns.
    private var isAwake = false
    private unowned(unsafe) var delegate: (any LoopDelegate)?
    private var isInputWaiting = false
    /// Work for the next turn, which does not wait if there is any.
    @exclusivity(unchecked) private var scheduled: [() -> Void] = []
    private var isStopping = false
    /// While this is set no timer fires; those that fall due fire in order once it is cleared.
    @exclusivity(unchecked) package var areTimersSuspended = false {
        didSet { if areTimersSuspended { setTimersLeft(false) } else { schedule {} } }
    }
    /// Fires due timers in place of the loop, those of one session at a time. Its owner clears this before it is gone: another reference would cost each request.
    @exclusivity(unchecked) package unowned(unsafe) var stepper: (any DueTimerStepper)?
    @exclusivity(unchecked) private var budget = InputBudget()
    /// This many bytes of input or output count as a piece.
    private static let bytesOfPiece = 1_024
    @exclusivity(unchecked) private var times = TurnTimes()
    /// Real time, also where flows run on virtual time.
    package var watch: any TimeSource {
        get { realTime }
        set { realTime = newValue }
    }
    private var realTime: any TimeSource = SystemClock()
    /// Virtual time does not pass by waiting.
    private let sleepsUntilDeadlines: Bool
    /// Whether timers were due when the turn began that fire in the next turns.
    private var areTimersLeft = false
    /// The time for firing the timers that are due when a turn begins, and how many fire between two looks at the clock.
    private static let (maxFiringTime, maxFirings) = (Duration.milliseconds(4), 32)

    package init(_ timekeeper: Timekeeper = Timekeeper()) throws(LoopFailure) {
        self.timekeeper = timekeeper
        base = try EventBase()
        alarm = try Alarm(on: base)
        sleepsUntilDeadlines = !(timekeeper.source is VirtualClock)
    }

    /// The delegate sets nil before it is gone: a counted reference would cost each turn.
    package func setDelegate(_ delegate: (any LoopDelegate)?) { self.delegate = delegate }

    /// Some input of this turn is handled once the rest is read: by the delegate.
    package func keepInput() { isInputWaiting = true }

    private func handleWaitingInput() {
        guard isInputWaiting else { return }
        isInputWaiting = false
        delegate?.inputDidEnd()
    }

    /// Calls `body` in the next turn, among the input: for unfinished work that yields to other input.
    package func schedule(_ body: @escaping () -> Void) {
        scheduled.append(body)
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
            try alarm.set(for: areTimersSuspended ? nil : timekeeper.nextWake) { timekeeper.source.now }
        }
        if scheduled.isEmpty {
            try base.waitOnce()
            wake()
            handleWaitingInput()
        } else {
            let bodies = scheduled
            scheduled = []
            try base.dispatchReady()
            wake()
            handleWaitingInput()
            runScheduled(bodies)
        }
        delegate?.turnWillEnd()
        isAwake = false
        times.endTurn(at: watch.now)
    }

    /// The number of turns so far.
    package var turns: Int { times.count }

    /// How long turns took, from waking to sleeping again.
    package var turnTimes: DurationHistogram { times.all }

    /// The longest turn of the last five seconds.
    package var recentLongestTurn: Duration { .nanoseconds(times.recent.most(at: watch.now)) }

    /// Handles one piece of input, after the timers that are due; timers that it makes due fire before any other input.
    package func receive(_ handle: () -> Void) {
        wake()
        handle()
        fireDueTimers()
    }

    /// Whether a turn has begun and is not over.
    package var isUnderWay: Bool { isAwake }

    /// Pieces of input handled in this turn.
    package var pieces: Int { budget.pieces }

    /// Whether this turn's bound is reached. An input with more pieces continues in the next turn.
    package var isBudgetExhausted: Bool { budget.isSpent }

    /// Whether the client that is served has to leave its further requests to a later turn: that bound is reached, or others wait for it.
    package var mustYield: Bool { budget.mustYield }

    /// The requests of another client follow.
    package func beginShare() { budget.beginShare() }

    /// Whether other clients that had to yield wait, besides those that libevent is about to report.
    package var areClientsWaiting = false

    /// Counts handled pieces of input; a long piece counts as several. At the turn's bound, other input waits for the next turn.
    package func charge(pieces count: Int) {
        if budget.count(count) || timekeeper.mayHaveTakenLong { checkTime() }
    }

    /// Counts bytes read or written.
    package func charge(bytes: Int) { charge(pieces: bytes / Self.bytesOfPiece) }

    /// Counts what libevent does by itself, many times in a row: it accepts or closes a connection, or goes on with a handshake, which can take as
    /// long as some hundred requests.
    package func chargeWorkOfLibevent() {
        wake()
        timekeeper.mayHaveTakenLong = true
        charge(pieces: 1)
    }

    /// Apart, so that counting alone saves no registers.
    @inline(never)
    private func checkTime() {
        timekeeper.mayHaveTakenLong = false
        budget.check(
            at: watch.now, timer: sleepsUntilDeadlines && !areTimersSuspended ? timekeeper.nextWake : nil,
            othersWait: areClientsWaiting || base.hasReadyEvents)
        if budget.isSpent { base.breakLoop() }
    }

    /// Fires timers that have become due in this turn. An input that handles several pieces at once calls it after each.
    package func fireDueTimers() {
        if timekeeper.hasDue || timekeeper.mayHaveTakenLong { fireAndCheckTime() }
    }

    /// Apart, so that the usual call, which has nothing to fire, saves no registers.
    @inline(never)
    private func fireAndCheckTime() {
        if timekeeper.hasDue { fireDue() }
        if timekeeper.mayHaveTakenLong { checkTime() }
    }

    /// Runs the work left over from the last turn. It gets a separate budget, so that input does not starve it. Work that begins with that budget
    /// spent continues before all others in the next turn, so that none of it starves.
    private func runScheduled(_ bodies: [() -> Void]) {
        budget.renew(at: watch.now, besideInput: base.hasReadyEvents)
        var rest = bodies[...]
        while !budget.isSpent, let body = rest.popFirst() { receive(body) }
        let others = scheduled
        scheduled = []
        for body in rest { receive(body) }
        scheduled += others
    }

    /// Begins the turn: reads the time and fires due timers. Only the first call of a turn has an effect.
    private func wake() {
        guard !isAwake else { return }
        isAwake = true
        timekeeper.beginTurn()
        let now = watch.now
        times.beginTurn(at: now)
        budget.renew(at: now)
        delegate?.turnDidBegin()
        if sleepsUntilDeadlines { fireDue(since: now) } else { fireDue() }
    }

    /// Fires the timers that are due as the turn begins. They may be a million, or each may take long: then the input has its part of the turn, too.
    private func fireDue(since began: Instant) {
        guard timekeeper.hasDue, !areTimersSuspended else { return setTimersLeft(false) }
        var firings = 1
        repeat {
            timekeeper.fireDue(atMost: firings)
            firings = min(2 * firings, Self.maxFirings)
        } while timekeeper.hasDueTimers && began.duration(to: watch.now) < Self.maxFiringTime
        setTimersLeft(timekeeper.hasDueTimers)
        if areTimersLeft { budget.renew(at: watch.now) }
    }

    private func setTimersLeft(_ areLeft: Bool) {
        guard areLeft || areTimersLeft else { return }
        areTimersLeft = areLeft
        delegate?.dueTimersAreLeft(areLeft)
    }

    private func fireDue() {
        guard !areTimersSuspended else { return }
        if let stepper { stepper.fireDueTimers() } else { timekeeper.fireDue() }
    }
}

/// The daemon around a loop, as the loop knows it.
package protocol LoopDelegate: AnyObject {
    /// Called before any timer of the turn fires.
    func turnDidBegin()
    /// Called when more timers are due than a turn fires, in each such turn, and when they have all fired. Meanwhile the delegate sets `stepper`: input
    /// about a session is handled after the session's own due timers.
    func dueTimersAreLeft(_ areLeft: Bool)
    /// Called where `keepInput` was called in this turn, once its input is read.
    func inputDidEnd()
    /// Called when the timers have fired and the input is handled.
    func turnWillEnd()
}

/// Why the loop has failed: through a fault of the program or the machine, never of a client.
package enum LoopFailure: Error, CustomStringConvertible {
    case cannotStart(String)
    case cannotWatch(String)
    case nothingToWaitFor
    case backendFailed(errno: Int32)

    package var description: String {
        switch self {
        case .cannotStart(let what): "the event loop cannot start: \(what)"
        case .cannotWatch(let what): "the event loop cannot watch \(what)"
        case .nothingToWaitFor: "the event loop has nothing left to wait for and would spin"
        case .backendFailed(let errno): "the event loop cannot wait for events: \(systemErrorText(errno))"
        }
    }
}

// One ADVANCE: virtual time that goes on in slices, so that others are served in between.

import GameFlow
import RESP
import Sessions

/// Goes from instant to instant, as a live clock that is never late would do. A slice may end in the middle of an instant at which many
/// timers are due; it never skips one.
final class Advance {
    /// The remaining work, in this order.
    private enum Phase: Equatable {
        case firing
        /// Recording the sessions from this slot on, with their remaining times.
        case recording(Int)
        case over
    }

    /// Nil for an ADVANCE that runs at once, or after its client is gone.
    weak var answer: PendingValue<Int>?
    private unowned let host: Host
    private let clock: VirtualClock
    private let goal: Instant
    private var maxFirings: Int
    private(set) var fired = 0
    private var phase = Phase.firing
    /// Whether timers have fired at this instant since its end was last told.
    private var hasFired = false
    private var error: CommandError?
    /// Whether timers that fired last may have taken long, as those with expressions.
    private(set) var mayHaveTakenLong = false

    init(_ clock: VirtualClock, by duration: Duration, atMost most: Int, for answer: PendingValue<Int>?, of host: Host) {
        self.answer = answer
        self.host = host
        self.clock = clock
        self.maxFirings = most
        // Another one may have come first.
        goal = duration > host.timekeeper.now.duration(to: .last) ? .last : host.timekeeper.now.advanced(by: duration)
    }

    /// Sessions recorded in one piece of work.
    private static let sessionsRecorded = 256
    /// Timers fired between two looks at the turn's budget.
    private static let timersFired = 32

    /// Continues with at most `pieces` pieces of work, or until the turn is full. Returns false once it is over.
    func run(atMost pieces: Int) -> Bool {
        var left = pieces
        // However full the turn is, something is done.
        repeat { left -= step() } while !isOver && left > 0 && host.turns?.isBudgetExhausted != true
        return !isOver
    }

    /// `run` runs a slice, which returns its pieces of work. Once it returns false, this ends before the next instant.
    func runToEnd(_ run: (_ slice: () -> Int) -> Bool) {
        while !isOver {
            if !run({ step() }) { maxFirings = 0 }
            if needsAnotherTurn { stop(.limit, "") }
        }
    }

    /// Whether all that is left to do at this instant are effects, and the turn has no time for them.
    private var needsAnotherTurn: Bool {
        let keeper = host.timekeeper
        return phase == .firing && keeper.needsFollowUp && !keeper.hasDueTimers && host.turns?.isBudgetExhausted == true
    }

    /// Whether timers are due at this instant that have not fired yet.
    var isInTheMiddle: Bool { host.timekeeper.hasDue }

    /// Counts timers that fired early because a request was about their session.
    func countFired(_ count: Int) { fired += count }

    /// How many timers have fired, or why it has ended early.
    var result: Result<Int, CommandError> { error.map { .failure($0) } ?? .success(fired) }

    private var isOver: Bool { phase == .over }

    /// Does something, and returns how many pieces of work it was.
    private func step() -> Int {
        switch phase {
        case .firing: fireSome()
        case .recording(let slot): recordSome(from: slot)
        case .over: 0
        }
    }

    private func fireSome() -> Int {
        let keeper = host.timekeeper
        if host.isUnavailable, let unavailability = host.unavailability {
            stop(unavailability.code, unavailability.sentence)
        } else if keeper.hasDue {
            let count = keeper.fireDue(atMost: Self.timersFired)
            // `charge` clears the timekeeper's.
            (fired, hasFired, mayHaveTakenLong) = (fired + count, true, host.mayHaveTakenLong)
            let pieces = keeper.isCollectingDue ? Self.timersFired : max(count, 1)
            host.turns?.charge(pieces: pieces)
            return pieces
        } else if hasFired {
            hasFired = false
            host.timeObserver?.virtualTimeDidStop()
        } else {
            move()
        }
        return 1
    }

    /// To the next instant at which something is due, or to the goal.
    private func move() {
        let keeper = host.timekeeper
        guard let wake = keeper.nextWake, wake <= goal else { return arrive() }
        guard fired < maxFirings else { return stop(.limit, "") }
        clock.move(to: max(wake, keeper.now))
        keeper.beginTurn()
        host.turns?.charge(pieces: 1)
        hasFired = true
    }

    private func arrive() {
        clock.move(to: max(goal, clock.now))
        host.timekeeper.beginTurn()
        phase = .recording(0)
    }

    private func stop(_ code: ErrorCode, _ reason: String) {
        let left = host.timekeeper.now.duration(to: goal).milliseconds
        let whereTo = "\(fired) timers have fired and \(left) ms remain; ADVANCE \(left) continues"
        error = CommandError(code, reason.isEmpty ? whereTo : "\(reason); \(whereTo)")
        phase = .recording(0)
    }

    private func recordSome(from slot: Int) -> Int {
        let next = host.sessions.recordImages(from: slot, atMost: Self.sessionsRecorded)
        phase = next == 0 ? .over : .recording(next)
        host.turns?.charge(pieces: Self.sessionsRecorded / 16)
        return Self.sessionsRecorded / 16
    }
}

/// Notified at each instant that virtual time stops at, after the timers due then have fired.
package protocol VirtualTimeObserver: AnyObject {
    func virtualTimeDidStop()
}

extension ManualExecutor: VirtualTimeObserver {
    package func virtualTimeDidStop() { _ = run() }
}

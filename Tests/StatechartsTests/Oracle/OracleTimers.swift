// Not SCXML: timers that live as long as their state, events that are raised or sent later, and the time that passes.

import Statecharts
import JSON
import Timers

/// A timer that runs, or is paused.
struct OracleTimer {
    enum Purpose {
        /// A countdown or pendulum of a state, by its number in the chart.
        case ofState(Int)
        case raising(String, JSON?)
        case sending(String)
    }

    let purpose: Purpose
    /// The id by which `cancel` names it.
    let id: String?
    /// Its deadline; nil while it is paused.
    var deadline: Int?
    /// Its remaining time while it is paused.
    var left = 0
    var isPaused = false
    /// The order of arming, which breaks ties between equal deadlines.
    var arming: Int
    /// The milestones ahead: their indices in the chart's list, the longest first, and their remaining time.
    var toCome: List<(index: Int, left: Int)> = []
    /// Whether an extension has passed some of them; those fire now even if the timer is paused.
    var passesMilestones = false

    func left(at now: Int) -> Int { deadline.map { $0 - now } ?? left }

    /// Its next firing, for a milestone or the end; nil while it is paused.
    func nextFiring(at now: Int) -> Int? {
        guard let next = toCome.head() else { return deadline }
        if passesMilestones && next.left >= left(at: now) { return now }
        return deadline.map { max(now, $0 - next.left) }
    }

    var number: Int? {
        guard case .ofState(let number) = purpose else { return nil }
        return number
    }
}

extension OracleSession {
    /// An event that is raised or sent later. At most 64 can wait in one session.
    func delay(_ purpose: OracleTimer.Purpose, id: String, by length: Int) throws {
        guard timers.filter({ $0.number == nil }).count < 64 else { throw OracleError.tooMany }
        arm(purpose, id: id, after: length)
    }

    func arm(_ purpose: OracleTimer.Purpose, id: String? = nil, after length: Int) {
        armings += 1
        var timer = OracleTimer(purpose: purpose, id: id, deadline: now + length, arming: armings)
        if let number = timer.number { timer.toCome = milestones(of: number).filter { $0.left < length } }
        timers.append(timer)
    }

    private func milestones(of timer: Int) -> List<(index: Int, left: Int)> {
        doc.timers[timer].milestones.enumerated().map { (index: $0.offset, left: Int($0.element.wholeNanoseconds)) }
    }

    func nanoseconds(_ length: Length) throws -> Int {
        switch length {
        case .fixed(let duration): return Int(duration.wholeNanoseconds)
        case .computed(let expression):
            guard case .integer(let milliseconds) = try evaluate(expression), milliseconds >= 0 else {
                throw OracleError.expression("a delay")
            }
            return milliseconds * 1_000_000
        }
    }

    // MARK: Changing

    /// A timer without remaining time is due now, even if it is paused.
    func extend(_ number: Int, by length: Int) throws {
        try change(number) { timer in
            let left = timer.left(at: now) + length
            let passed = timer.toCome.filter { $0.left >= left }
            timer.toCome = passed + milestones(of: number).filter { $0.left < left }
            timer.passesMilestones = !passed.isEmpty
            (timer.left, timer.deadline) = (left, timer.isPaused && left > 0 ? nil : now + max(0, left))
        }
    }

    func pause(_ number: Int) {
        try? change(number) { timer in
            (timer.left, timer.deadline, timer.isPaused) = (timer.left(at: now), nil, true)
            timer.passesMilestones = false
        }
    }

    func resume(_ number: Int) {
        try? change(number) { timer in
            (timer.deadline, timer.isPaused) = (now + timer.left(at: now), false)
        }
    }

    /// Pausing or resuming a timer that does not run does nothing; extending it is an error.
    private func change(_ number: Int, _ body: (inout OracleTimer) -> Void) throws {
        guard let index = timers.firstIndex(where: { $0.number == number }) else { throw OracleError.timer(number) }
        body(&timers[index])
        armings += 1
        timers[index].arming = armings
    }
}

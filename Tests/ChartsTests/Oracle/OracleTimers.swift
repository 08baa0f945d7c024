// Not SCXML: timers that live as long as their state, events that are raised or sent later, and the time that passes.

import Charts
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
    /// What `cancel` calls it.
    let id: String?
    /// When it is due; nil while it is paused.
    var deadline: Int?
    /// What is left of it while it is paused.
    var left = 0
    /// Among equal deadlines, who was armed first is first.
    var arming: Int

    var number: Int? {
        guard case .ofState(let number) = purpose else { return nil }
        return number
    }
}

extension OracleSession {
    func arm(_ purpose: OracleTimer.Purpose, id: String? = nil, after length: Int) {
        armings += 1
        timers.append(OracleTimer(purpose: purpose, id: id, deadline: now + length, arming: armings))
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

    func extend(_ number: Int, by length: Int) {
        change(number) { timer in
            let left = timer.deadline.map { $0 - now } ?? timer.left
            if timer.deadline == nil && left + length > 0 {
                timer.left = left + length
            } else {
                timer.deadline = now + max(0, left + length)
            }
        }
    }

    func pause(_ number: Int) {
        change(number) { timer in
            guard let deadline = timer.deadline else { return }
            timer.left = deadline - now
            timer.deadline = nil
        }
    }

    func resume(_ number: Int) {
        change(number) { timer in
            if timer.deadline == nil { timer.deadline = now + timer.left }
        }
    }

    /// A timer that does not run is left alone.
    private func change(_ number: Int, _ body: (inout OracleTimer) -> Void) {
        guard let place = timers.firstIndex(where: { $0.number == number }) else { return }
        body(&timers[place])
        armings += 1
        timers[place].arming = armings
    }
}

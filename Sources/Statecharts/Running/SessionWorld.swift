// A session's values for expressions: its active states, its timers and its name.

import GameFlow
import Timers

/// The session of a step, a trial or a screen. Set by the first expression that asks about the session, until `reset`.
final class SessionWorld: ExpressionEnvironment {
    private let chart: Chart
    private let plans: ChartPlans
    private var active: [Int] = []
    private var timers: [CarriedTimer] = []
    private var rest: Remainder?
    private var clock: FlowClock?

    init(_ chart: Chart, _ plans: ChartPlans) {
        (self.chart, self.plans) = (chart, plans)
    }

    func set(_ active: [Int], _ timers: [CarriedTimer], _ rest: Remainder?, _ clock: FlowClock?) {
        (self.active, self.timers, self.rest, self.clock) = (active, timers, rest, clock)
    }

    func reset() { set([], [], nil, nil) }

    func elapsed(inState state: Int) -> Int {
        guard let entered = rest?.entered[state], let clock else { return 0 }
        return Int(clock.now.nanoseconds(since: entered) / 1_000_000)
    }

    func isActive(_ path: String) -> Bool { chart.state(named: path).map { active.has($0) } ?? false }

    func remaining(_ timer: String) -> Int? {
        guard let number = plans.numbers[timer] else { return nil }
        return timers.first { $0.number == number }?.timer.remaining?.milliseconds
    }

    var sessionName: String { clock?.sessionName ?? "" }
    var parentName: String? { clock?.parentName }
}

// MARK: - Events that are raised or sent later

extension Macrostep {
    /// Begins the event's countdown; false where there is nothing to wait for.
    mutating func raiseLater(_ event: EventToSend, _ data: JSON?, _ recipient: String?, _ delay: Length) throws(FlowError)
        -> Bool
    {
        let length = try duration(of: delay)
        guard length >= .zero else {
            throw .refused("\(TimerError.negativeLength(timer: event.id ?? event.event, length))")
        }
        guard length > .zero, let clock else { return false }
        let rest = ownRest()
        // A delayed event that was refused when it was due is dropped.
        rest.delayed.removeAll { $0.countdown.remaining == nil }
        guard rest.delayed.count < ChartBounds.delayedEvents else {
            throw .refused("\(ChartBounds.delayedEvents) delayed events wait in this session already")
        }
        rest.lastDelayed &+= 1
        let plan = plan(of: event, data, length, rest, isSent: recipient != nil)
        do throws(TimerError) {
            rest.delayed.append(
                DelayedEvent(
                    number: rest.lastDelayed, id: event.id ?? event.event, event: event.event, data: data,
                    recipient: recipient, countdown: try Countdown(plan, on: clock)))
        } catch {
            throw .refused(error.description)
        }
        return true
    }

    /// Its name is the event's id; where another timer has that name, a number follows. A restart finds timers by their names.
    private func plan(
        of event: EventToSend, _ data: JSON?, _ length: Duration, _ rest: Remainder, isSent: Bool
    ) -> TimerPlan {
        let id = event.id ?? event.event
        var (name, number) = (id, 2)
        while plans.numbers[name] != nil || rest.delayed.contains(where: { $0.countdown.plan.name == name }) {
            name = "\(id)#\(number)"
            number += 1
        }
        return chart.planOfDelayed(name, event.event, data, length, rest.lastDelayed, isSent: isSent)
    }

    mutating func cancel(_ id: String) {
        guard rest?.delayed.contains(where: { $0.id == id }) ?? false else { return }
        ownRest().delayed.removeAll { $0.id == id }
    }
}

extension Chart {
    /// The plan of a delayed event's countdown.
    func planOfDelayed(
        _ name: String, _ event: String, _ data: JSON?, _ length: Duration, _ number: UInt32, isSent: Bool
    ) -> TimerPlan {
        let spec = events.named(isSent ? Platform.sent(event) : event)
        return .countdown(name, length, message: spec.map { ChartEvent($0, data, delayed: number) })
    }
}

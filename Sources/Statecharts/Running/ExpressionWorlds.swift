// The session's values for expressions: of a session in the middle of a step, and of one that is only viewed.

import GameFlow
import Timers

/// A session in the middle of a step. It is set only while an expression is evaluated that asks about the session.
final class StepWorld: ExpressionEnvironment {
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

    func elapsed(inState state: Int) -> Int { chart.elapsed(since: rest?.entered[state], on: clock) }

    func isActive(_ path: String) -> Bool? { chart.state(named: path).map { active.has($0) } }

    func remaining(_ timer: String) -> (known: Bool, milliseconds: Int?) {
        guard let number = plans.number(ofTimer: timer) else {
            let delayed = rest?.delayed.first { $0.countdown.plan.name == timer }
            return (delayed != nil, delayed?.countdown.remaining?.milliseconds)
        }
        return (true, timers.first { $0.number == number }?.timer.remaining?.milliseconds)
    }

    var sessionName: String { clock?.sessionName ?? "" }
    var parentName: String? { clock?.parentName }
}

/// A session as it stands, for guards and views.
final class StateView: ExpressionEnvironment {
    private let chart: Chart
    private(set) var scope = Scope(world: NoSessionWorld.instance)
    private var state: ChartState?
    private var clock: FlowClock?

    init(_ chart: Chart) {
        self.chart = chart
    }

    func bind(to state: ChartState, _ event: ChartEvent?, on clock: FlowClock) {
        self.state = state
        self.clock = clock
        scope.variables = state.more?.variables ?? []
        scope.event = event?.data
        scope.eventName = event?.spec.name
        scope.world = self
        scope.source = event != nil && chart.asksForSource ? clock.handledSource : nil
    }

    func unbind() {
        state = nil
        clock = nil
        scope.forget()
        scope.world = NoSessionWorld.instance
    }

    func elapsed(inState number: Int) -> Int { chart.elapsed(since: state?.more?.rest?.entered[number], on: clock) }

    func isActive(_ path: String) -> Bool? {
        guard let number = chart.state(named: path) else { return nil }
        let leaves = state?.leaves(of: chart) ?? []
        return leaves.contains { $0 == number || chart.isDescendant($0, number) }
    }

    func remaining(_ timer: String) -> (known: Bool, milliseconds: Int?) {
        let found = state?.timers.first { $0.timer.plan.name == timer }?.timer
        let delayed = state?.more?.rest?.delayed.first { $0.countdown.plan.name == timer }?.countdown
        let isKnown = found != nil || delayed != nil || chart.definition.timers.contains { $0.name == timer }
        return (isKnown, (found ?? delayed)?.remaining?.milliseconds)
    }

    var sessionName: String { clock?.sessionName ?? "" }
    var parentName: String? { clock?.parentName }
}

extension Chart {
    fileprivate func elapsed(since entered: Instant?, on clock: FlowClock?) -> Int {
        guard let entered, let clock else { return 0 }
        return Int(clock.now.nanoseconds(since: entered) / 1_000_000)
    }
}

/// The answers to expressions while there is no session.
final class NoSessionWorld: ExpressionEnvironment, Sendable {
    static let instance = NoSessionWorld()

    func elapsed(inState: Int) -> Int { 0 }
    func isActive(_ path: String) -> Bool? { nil }
    func remaining(_ timer: String) -> (known: Bool, milliseconds: Int?) { (false, nil) }
    var sessionName: String { "" }
    var parentName: String? { nil }
}

extension Scope {
    /// Nothing of a session outlives its evaluation.
    mutating func forget() {
        variables = []
        event = nil
        eventName = nil
        source = nil
    }
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
        while plans.number(ofTimer: name) != nil || rest.delayed.contains(where: { $0.countdown.plan.name == name }) {
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

// The timers of a step in the making. Those of the old state are left as they are, since the step may not count: one that an action
// extends, pauses or resumes is replaced by its like.

import GameFlow
import Timers

extension Macrostep {
    /// A timer of a state that is entered.
    func beginTimer(_ number: Int) throws(FlowError) -> StateTimer {
        guard let clock else { throw .transitionNotFound }
        let plan = plans.plans[number]
        switch chart.definition.timers[number].length {
        case .fixed: return try makeTimer(plan, on: clock)
        case .computed(let length): return try makeTimer(plan.lasting(try duration(of: .computed(length))), on: clock)
        }
    }

    /// `old` is the only timer of the state that is left, if the step keeps none.
    func makeTimer(_ plan: TimerPlan, after old: StateTimer? = nil, on clock: FlowClock) throws(FlowError) -> StateTimer {
        do throws(TimerError) {
            switch plan.kind {
            case .countdown: return try Countdown.next(plan, after: old, on: clock)
            case .pendulum: return try Pendulum(plan, on: clock)
            }
        } catch {
            throw .refused(error.description)
        }
    }

    /// Pausing or resuming a timer that does not run does nothing, as cancelling does.
    func runs(_ number: Int) -> Bool { timers.contains { $0.number == number && $0.timer.remaining != nil } }

    func extend(_ timer: Int, by length: Length) throws(FlowError) {
        let duration = try duration(of: length)
        try change(timer) { timer throws(TimerError) in try timer.extend(by: duration) }
    }

    /// Replaces a timer by its like, changed.
    func change(_ number: Int, _ body: (StateTimer) throws(TimerError) -> Void) throws(FlowError) {
        guard let place = timers.firstIndex(where: { $0.number == number }), let clock,
            let remaining = timers[place].timer.remaining
        else { throw .refused("the timer '\(plans.plans[number].name)' does not run now") }
        let timer = timers[place].timer
        do throws(TimerError) {
            let like = try Self.like(timer, remaining, on: clock)
            try body(like)
            timers[place] = CarriedTimer(number: number, timer: like)
        } catch {
            throw .refused(error.description)
        }
    }

    private static func like(_ timer: StateTimer, _ remaining: Duration, on clock: FlowClock) throws(TimerError) -> StateTimer {
        switch timer.plan.kind {
        case .countdown:
            Countdown(
                timer.plan, on: clock, remaining: remaining, isPaused: timer.isPaused, milestonesDue: timer.milestonesDue)
        case .pendulum: try Pendulum(timer.plan, on: clock, remaining: remaining, isPaused: timer.isPaused)
        }
    }
}

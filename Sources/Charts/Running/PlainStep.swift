// The step of a session that has one leaf, at most one timer and nothing else, where nothing is to be done on the way.

import GameFlow
import Timers

extension Macrostep {
    func takePlain(_ plan: StepPlan, _ state: ChartState, on clock: FlowClock) throws(FlowError) -> ChartState {
        let place = UInt16(truncatingIfNeeded: chart.leafPlaces[plan.leaf])
        let kept = state.timer.flatMap { isKept($0, of: state, by: plan) ? $0 : nil }
        guard let number = plan.timers.first else {
            return ChartState(leafPlace: place, timer: kept, Int(state.timerNumber), more: nil)
        }
        guard kept == nil else {
            begin(state, nil, on: clock)
            return try complete { step throws(FlowError) in
                try step.exitStates(plan.exits)
                try step.enterStates(plan.entries, defaultEntry: [], [:])
            }
        }
        return ChartState(leafPlace: place, timer: try makeTimer(number, plans.plans[number], on: clock), number, more: nil)
    }

    @inline(__always)
    private func isKept(_ timer: StateTimer, of state: ChartState, by plan: StepPlan) -> Bool {
        !plan.leaves(chart.definition.timers[Int(state.timerNumber)].state) && timer.remaining != nil
    }
}

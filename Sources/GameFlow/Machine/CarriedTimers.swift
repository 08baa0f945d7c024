// States that carry a timer and nothing else are put into JSON without encoding them, which would take ten times as long.

import Timers

/// What is known of the timers that states carry, by index of the state.
struct CarriedTimers {
    private struct Carried {
        /// Nil if the state carries something else, too.
        let plan: TimerPlan?
        /// The timer's name in the state's data.
        let name: String
    }

    private var known: [UInt32: Carried] = [:]

    func isKnown(_ place: UInt32) -> Bool { known[place] != nil }

    /// The data of the state at this index, if it carries this timer and nothing else.
    func data(_ place: UInt32, _ timer: StateTimer, _ circumstances: StateEncoder.Circumstances) -> JSON? {
        guard let carried = known[place], timer.plan === carried.plan else { return nil }
        return .object([JSON.Member(carried.name, timer.json(circumstances))])
    }

    /// Records what the state's data show.
    mutating func record<State>(_ state: State, at place: UInt32, carrying timer: StateTimer, in data: JSON) {
        guard place != FlowKind.unnumberedState, case .object(let members) = data, members.count == 1,
            let member = members.first,
            member.value["timer"]?.text == timer.plan.name, CaseMaker(state, carrying: timer) != nil
        else { return known[place] = Carried(plan: nil, name: "") }
        known[place] = Carried(plan: timer.plan, name: member.name)
    }
}

extension Machine {
    /// The state's data, for saving or for showing.
    func data(for purpose: StateEncoder.Purpose) throws -> JSON {
        try withFlightMarkIfClear(.read) {
            guard let timer = onlyTimer else { return try encodedData(for: purpose) }
            let circumstances = StateEncoder.Circumstances(purpose: purpose, eventName: kind.eventName)
            if let data = kind.carriedTimers.data(place, timer, circumstances) { return data }
            let data = try encodedData(for: purpose)
            if !kind.carriedTimers.isKnown(place) { kind.carriedTimers.record(state, at: place, carrying: timer, in: data) }
            return data
        }
    }

    private func encodedData(for purpose: StateEncoder.Purpose) throws -> JSON {
        try state.data(named: stateName, for: purpose, naming: kind.eventName)
    }

    /// Nil if there are several, or none.
    private var onlyTimer: StateTimer? {
        var (only, count): (StateTimer?, Int) = (nil, 0)
        forEachTimer { timer in (only, count) = (timer, count + 1) }
        return count == 1 ? only : nil
    }
}

// States that carry a timer and nothing else are put into JSON without encoding them, which would take ten times as long.

/// Caches which states carry one timer and nothing else, by index of the state.
struct CarriedTimers {
    /// The timer's plan, nil if the state must be encoded, and its name in the state's data.
    private var known: [UInt32: (plan: TimerPlan?, name: String)] = [:]

    func isKnown(_ index: UInt32) -> Bool { known[index] != nil }

    /// Returns the data of the state at this index, or nil if it must be encoded.
    func data(_ index: UInt32, _ timer: StateTimer, _ circumstances: StateEncoder.Circumstances) -> JSON? {
        guard let carried = known[index], timer.plan === carried.plan else { return nil }
        return .object([JSON.Member(carried.name, timer.json(circumstances))])
    }

    /// Records whether the state carries only this timer; `data` is the state, encoded in these circumstances.
    mutating func record<State: FlowState>(
        _ state: State, at index: UInt32, carrying timer: StateTimer, in data: JSON, _ circumstances: StateEncoder.Circumstances
    ) {
        guard index != FlowKind.unnumberedState, state.ownName == nil, case .object(let members) = data, members.count == 1,
            let member = members.first, member.value == timer.json(circumstances), CaseMaker(state, carrying: timer) != nil
        else { return known[index] = (nil, "") }
        known[index] = (timer.plan, member.name)
    }
}

extension Machine {
    /// The state's data, for saving or for showing.
    func data(for purpose: StateEncoder.Purpose) throws -> JSON {
        try withFlightMarkIfClear(.read) {
            guard let timer = onlyTimer else { return try encodedData(for: purpose) }
            let circumstances = StateEncoder.Circumstances(purpose: purpose, eventName: kind.eventName)
            if let data = kind.carriedTimers.data(stateIndex, timer, circumstances) { return data }
            let data = try encodedData(for: purpose)
            if !kind.carriedTimers.isKnown(stateIndex) {
                kind.carriedTimers.record(state, at: stateIndex, carrying: timer, in: data, circumstances)
            }
            return data
        }
    }

    private func encodedData(for purpose: StateEncoder.Purpose) throws -> JSON {
        try state.data(named: stateName, for: purpose, naming: kind.eventName)
    }

    /// The session's timer; nil if it has several, or none.
    private var onlyTimer: StateTimer? {
        var (only, count): (StateTimer?, Int) = (nil, 0)
        forEachOwnTimer { timer in (only, count) = (timer, count + 1) }
        return count == 1 ? only : nil
    }
}

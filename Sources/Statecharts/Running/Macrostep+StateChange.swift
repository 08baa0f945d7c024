// Leaving and entering states, in the order that SCXML's algorithm gives, with their actions, timers and child sessions.

import GameFlow

extension Macrostep {
    /// Inner states come first.
    mutating func exitStates(_ statesToExit: [Int]) throws(FlowError) {
        for state in statesToExit { recordHistory(of: state) }
        for state in statesToExit {
            try executeContent(chart.states[state].exit)
            leave(state)
            deactivate(state)
        }
    }

    /// Several history states of one parent share the remembered states.
    private mutating func recordHistory(of state: Int) {
        var (deep, shallow): ([Int]?, [Int]?)
        for child in chart.states[state].children {
            switch chart.states[child].kind {
            case .history(isDeep: true):
                let leaves = deep ?? activeDescendants(of: state).filter { chart.leafIndices[$0] >= 0 }
                (deep, ownRest().history[child]) = (leaves, leaves)
            case .history(isDeep: false):
                let children = shallow ?? activeDescendants(of: state).filter { chart.states[$0].parent == state }
                (shallow, ownRest().history[child]) = (children, children)
            case .atomic, .compound, .parallel, .final: break
            }
        }
    }

    private mutating func activeDescendants(of state: Int) -> ArraySlice<Int> {
        configuration[chart.descendants(of: state, in: configuration)]
    }

    /// Timers and child sessions go with their state.
    private mutating func leave(_ state: Int) {
        if !chart.states[state].timers.isEmpty {
            dropTimers { [chart] in chart.timerStates[$0.number] == state }
        }
        if !chart.states[state].invocations.isEmpty { cancelInvoke(of: state) }
    }

    /// Forgets when states were entered that are left now: the transition's actions still see how long its state was active.
    private mutating func forgetEntries() {
        guard let entered = rest?.entered, !entered.isEmpty else { return }
        let active = running ? configuration : []
        for state in entered.keys where !active.has(state) { ownRest().leave(state) }
    }

    private mutating func cancelInvoke(of state: Int) {
        statesToInvoke.remove(state)
        for number in chart.states[state].invocations where rest?.children.contains(where: { $0.number == number }) ?? false {
            ownRest().children.removeAll { $0.number == number }
            outgoing().effects.append(.drop(child: chart.definition.invocations[number].id))
        }
    }

    /// Outer states come first.
    mutating func enterStates(_ entry: EntrySet) throws(FlowError) {
        forgetEntries()
        for state in entry.statesToEnter {
            try enter(state)
            if entry.statesForDefaultEntry.has(state), let initial = chart.states[state].initial {
                try executeContent(chart.transitions[initial].actions)
            }
            if let content = entry.defaultHistoryContent[state] { try executeContent(chart.transitions[content].actions) }
            if chart.states[state].kind == .final { try enterFinal(state) }
        }
    }

    private mutating func enter(_ state: Int) throws(FlowError) {
        activate(state)
        if !chart.states[state].invocations.isEmpty { statesToInvoke.insert(state) }
        if chart.timedStates.contains(state), let clock { ownRest().enter(state, on: clock) }
        try executeContent(chart.states[state].entry)
        for number in chart.states[state].timers { timers.append(CarriedTimer(number: number, timer: try beginTimer(number))) }
    }

    /// A final state ends its parent, and the parallel states around that in which all regions have come to their end.
    private mutating func enterFinal(_ state: Int) throws(FlowError) {
        guard var ended = chart.states[state].parent else { return }
        let output = try chart.states[state].output.map { formula throws(FlowError) in try value(of: formula) }
        guard ended != Chart.root else { return end(output) }
        raise(Platform.done(state: chart.states[ended].path), output)
        while let around = chart.states[ended].parent, chart.states[around].kind == .parallel {
            try charge(chart.states[around].children.count)
            guard chart.isInFinalState(around, configuration) else { return }
            guard around != Chart.root else { return end(nil) }
            raise(Platform.done(state: chart.states[around].path), nil)
            ended = around
        }
    }

    private mutating func end(_ output: JSON?) {
        running = false
        if let output { ownRest().output = output }
    }

    private mutating func raise(_ name: String, _ data: JSON?) {
        guard !isForced, let spec = chart.events.named(name) else { return }
        internalQueue.append(ChartEvent(spec, data))
    }

    // MARK: The end of the chart

    /// The flow is over: the states that are still active are left, and only their name stays.
    mutating func exitInterpreter() throws(FlowError) {
        let active = configuration
        for state in active.reversed() {
            try executeContent(chart.states[state].exit)
            leave(state)
        }
        forgetEntries()
        internalQueue.removeAll()
        if let rest, !rest.delayed.isEmpty { ownRest().delayed = [] }
    }

    // MARK: Child sessions

    /// Those states that are still active when the step is complete have their child sessions begun.
    mutating func invoke() throws(FlowError) {
        for state in statesToInvoke.sorted() {
            for number in chart.states[state].invocations { try begin(chart.definition.invocations[number], number) }
        }
        statesToInvoke = []
    }

    private mutating func begin(_ invocation: Invocation, _ number: Int) throws(FlowError) {
        var context: [JSON.Member] = []
        for member in invocation.context { context.append(JSON.Member(member.name, try value(of: member.value))) }
        ownRest().children.append(RunningChild(number: number, stage: .runs))
        outgoing().effects.append(.begin(child: invocation.id, flow: invocation.flow, context: .object(context)))
    }
}

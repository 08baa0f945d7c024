// One step in the making: from an event to the next stable state. Nothing of it counts before the machine commits the state that it
// gives; a throw anywhere drops it. It is used again for the next step of any session.

import GameFlow

/// The algorithm of SCXML, appendix D, from `microstep` to the end of a macrostep.
struct Macrostep: ~Copyable {
    let chart: Chart
    let expressions: ExpressionEngine
    let plans: ChartPlans
    private let combinations: Combinations
    private var entrySets: EntrySetCache
    /// The values that expressions see.
    var scope: Scope
    /// The rest of the session, for expressions that ask about it.
    let world: SessionWorld
    private(set) var clock: FlowClock?
    /// The state that the step begins in; nil for a session that begins.
    private(set) var old: ChartState?
    /// The one active leaf, while nothing has asked for the whole configuration.
    private var leaf: Int?
    private var active: [Int] = []
    var timers: [CarriedTimer] = []
    /// Data that only few sessions have; copied before it is changed.
    private(set) var rest: Remainder?
    private var ownsRest = false
    var hasAssigned = false
    /// The events that this step has raised and that are still to be handled.
    var internalQueue: ArraySlice<ChartEvent> = []
    /// The part of its bounds that this step has used.
    var used = StepBudget()
    var statesToInvoke: Set<Int> = []
    /// Where the transitions of the current microstep that go back lead.
    var waysBack: [Int: WayBack] = [:]
    /// Whether one has been taken.
    var hasGoneBack = false
    /// Whether the chart has not come to its end.
    var running = true
    /// Whether nothing is raised, sent or begun, since an operator forces a state.
    var isForced = false

    init(_ chart: Chart, _ expressions: ExpressionEngine, _ plans: ChartPlans) {
        self.chart = chart
        self.expressions = expressions
        self.plans = plans
        combinations = Combinations(chart)
        entrySets = EntrySetCache(chart)
        world = SessionWorld(chart, plans)
        scope = Scope(world: world)
    }

    /// The active states, in document order.
    var configuration: [Int] {
        mutating get {
            if let leaf {
                chart.collectConfiguration(of: leaf, in: &active)
                self.leaf = nil
            }
            return active
        }
        set {
            leaf = nil
            active = newValue
        }
    }

    /// In place: the list may be long.
    mutating func activate(_ state: Int) {
        _ = configuration
        active.insert(state, at: active.insertionIndex(of: state))
    }

    mutating func deactivate(_ state: Int) {
        _ = configuration
        if active.last == state { return _ = active.removeLast() }
        let index = active.insertionIndex(of: state)
        if index < active.count, active[index] == state { active.remove(at: index) }
    }

    private var activeCount: Int { leaf == nil ? active.count : 1 }

    /// The cost of leaving and entering an active state, in steps.
    private var stepsOfAState: Int { 4 }

    // MARK: Beginning and end

    /// For a session that begins, or is restored.
    mutating func begin(variables: [JSON], on clock: FlowClock) {
        self.clock = clock
        scope.variables = variables
        expressions.allow(ChartBounds.steps)
    }

    /// For an event.
    mutating func begin(_ state: ChartState, _ event: ChartEvent?, on clock: FlowClock) {
        view(state, event, on: clock)
        expressions.allow(ChartBounds.steps)
        let delayed = event?.delayed ?? 0
        if delayed != 0 || rest?.outgoing?.effectCount == 0 {
            ownRest().delayed.removeAll { $0.number == delayed || $0.countdown.remaining == nil }
        }
    }

    /// For expressions alone, until `reset`.
    mutating func view(_ state: ChartState, _ event: ChartEvent?, on clock: FlowClock) {
        self.clock = clock
        scope.variables = state.more?.variables ?? []
        old = state
        if state.leafIndex == ChartState.several {
            configuration = state.more?.combination?.configuration ?? []
        } else {
            leaf = chart.leaves[Int(state.leafIndex)]
        }
        if let timer = state.timer {
            if let others = state.more?.timers, !others.isEmpty { timers += others }
            timers.append(CarriedTimer(number: Int(state.timerNumber), timer: timer))
        }
        rest = state.more?.rest
        // An outbox that was carried out is nothing to remember.
        if rest?.outgoing?.isEmpty ?? false, rest?.isEmpty ?? false { rest = nil }
        if let event {
            bindEvent(event)
            if chart.asksForSource { scope.source = clock.handledSource }
        }
    }

    /// Runs `body`, and gives the state that it has led to.
    mutating func complete(_ body: (inout Macrostep) throws(FlowError) -> Void) throws(FlowError) -> ChartState {
        defer { reset() }
        clock?.requestTimeCheck()
        try body(&self)
        return finished()
    }

    mutating func reset() {
        clock = nil
        // Several leaves share their combination's list.
        if old?.leafIndex == ChartState.several {
            active = []
        } else if !active.isEmpty {
            active.removeAll(keepingCapacity: true)
        }
        old = nil
        leaf = nil
        // Its memory is used again, which `removeAll` takes ten times as long for.
        while timers.popLast() != nil {}
        if rest != nil { rest = nil }
        (ownsRest, hasAssigned, used) = (false, false, StepBudget())
        internalQueue = []
        if !statesToInvoke.isEmpty { statesToInvoke = [] }
        if chart.asksForSession { world.reset() }
        if chart.hasBack { (waysBack, hasGoneBack) = ([:], false) }
        (running, isForced) = (true, false)
        (scope.variables, scope.event, scope.eventName, scope.source) = ([], nil, nil, nil)
    }

    /// Sets the event's values for expressions.
    private mutating func bindEvent(_ event: ChartEvent) {
        scope.event = event.data
        scope.eventName = event.spec.name
    }

    /// The memory to change.
    mutating func ownRest() -> Remainder {
        if ownsRest, let rest { return rest }
        let own = rest.map { Remainder(copying: $0) } ?? Remainder()
        rest = own
        ownsRest = true
        return own
    }

    /// The effects that the step requests.
    mutating func outgoing() -> Outbox {
        let rest = ownRest()
        if let outgoing = rest.outgoing { return outgoing }
        let made = Outbox()
        rest.outgoing = made
        return made
    }

    /// Drops those timers. Mostly there is only one, or no timer at all.
    mutating func dropTimers(where isLeft: (CarriedTimer) -> Bool) {
        guard timers.contains(where: isLeft) else { return }
        if timers.count == 1 { timers.removeLast() } else { timers.removeAll(where: isLeft) }
    }

    // MARK: Steps

    /// The one transition of a session with one leaf.
    mutating func takeTransitions(_ candidate: Candidate) throws(FlowError) {
        guard let plan = candidate.plan else { return try takeTransitions([candidate.transition]) }
        try exitStates(plan.exits)
        try executeContent(chart.transitions[plan.transition].actions)
        try enterStates(plan.entry)
        try runToCompletion()
    }

    /// The transitions that an event has enabled.
    mutating func takeTransitions(_ enabled: [Int]) throws(FlowError) {
        try microstep(withoutConflicts(enabled))
        try runToCompletion()
    }

    /// A delayed event for another session is due.
    mutating func deliver(_ delayed: DelayedEvent) {
        guard let recipient = delayed.recipient else { return }
        outgoing().effects.append(.send(event: delayed.event, data: delayed.data, to: recipient))
    }

    var historyValue: HistoryValue { HistoryValue(remembered: rest?.history ?? [:], waysBack: waysBack) }

    private mutating func withoutConflicts(_ enabled: [Int]) -> [Int] {
        if chart.hasBack { findWaysBack(enabled) }
        return chart.removeConflictingTransitions(enabled, configuration, historyValue)
    }

    mutating func microstep(_ enabledTransitions: [Int]) throws(FlowError) {
        try charge(activeCount * stepsOfAState)
        // The domains stay fixed while history is recorded, which may change the effective targets.
        var domains = enabledTransitions.map { chart.getTransitionDomain($0, historyValue) }
        var entering = enabledTransitions
        if chart.hasBack { divideWaysBack(&entering, &domains) }
        let exits = chart.computeExitSet(domains, configuration)
        if chart.hasBack { removeFromTrail(enabledTransitions) }
        try exitStates(exits.reversed())
        for transition in enabledTransitions { try executeContent(chart.transitions[transition].actions) }
        try enterStates(entrySets.entrySet(of: entering, domains, historyValue))
    }

    /// Microsteps until nothing more leads on by itself; then child sessions begin.
    mutating func runToCompletion() throws(FlowError) {
        var count = 0
        while running, let enabled = try nextEnabled() {
            count += 1
            guard count <= ChartBounds.microsteps else {
                throw .refused(
                    "the flow '\(chart.definition.name)' does not come to rest: \(ChartBounds.microsteps) microsteps were not enough; check it for 'always' transitions or raised events that form a cycle"
                )
            }
            try microstep(withoutConflicts(enabled))
        }
        if !running { try exitInterpreter() }
        if !statesToInvoke.isEmpty { try invoke() }
    }

    /// The transitions of the next microstep; nil when the configuration is stable.
    private mutating func nextEnabled() throws(FlowError) -> [Int]? {
        while true {
            try charge(activeCount)
            // Again after an event that nothing takes: their guards see that event.
            if chart.hasAlways {
                let leaves = leaves
                let eventless = try chart.selectEventlessTransitions(leaves, expressions) { number throws(FlowError) in
                    try isEnabled(number)
                }
                if !eventless.isEmpty { return eventless }
            }
            guard let event = internalQueue.popFirst() else { return nil }
            bindEvent(event)
            let leaves = leaves
            let enabled = try chart.selectTransitions(leaves, event.spec, expressions) { number throws(FlowError) in
                try isEnabled(number)
            }
            if !enabled.isEmpty { return enabled }
        }
    }

    /// The active leaves.
    var leaves: [Int] {
        mutating get {
            if let leaf { return [leaf] }
            return active.filter { chart.leafIndices[$0] >= 0 }
        }
    }

    // MARK: The result

    private mutating func finished() -> ChartState {
        dropTimers { $0.timer.isFinished }
        if chart.hasBack { recordTrail() }
        let rest = ownsRest && rest?.isEmpty ?? false ? nil : rest
        if let leaf = leaf ?? (chart.isParallel ? nil : active.last) { return state(in: leaf, rest) }
        let leaves = leaves
        if leaves.count == 1 { return state(in: leaves[0], rest) }
        let combination = combinations.combination(of: leaves)
        return ChartState(leafIndex: ChartState.several, timers: timers, more: memory(combination, rest))
    }

    private func state(in leaf: Int, _ rest: Remainder?) -> ChartState {
        let index = UInt16(truncatingIfNeeded: chart.leafIndices[leaf])
        return ChartState(leafIndex: index, timers: timers, more: memory(nil, rest))
    }

    private func memory(_ combination: Combination?, _ rest: Remainder?) -> ChartMemory? {
        let others = timers.dropLast()
        // A timer's computed length is saved with the memory.
        if scope.variables.isEmpty, combination == nil, others.isEmpty, rest == nil,
            !timers.contains(where: { chart.hasComputedLength($0.number) })
        {
            return nil
        }
        if let same = old?.more, !hasAssigned, combination === same.combination, rest === same.rest,
            others.elementsEqual(same.timers, by: { $0.timer === $1.timer })
        {
            return same
        }
        return ChartMemory(scope.variables, of: chart, combination, Array(others), rest)
    }
}

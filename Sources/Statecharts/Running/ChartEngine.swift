// Runs the sessions of one chart: its compiled expressions, its plans for steps, and what a step in the making needs. Of one thread.

import GameFlow
import Texts
import Timers

final class ChartEngine {
    let chart: Chart
    let expressions: ExpressionEngine
    /// The plans of the chart's timers, for those whose length is fixed.
    let plans: ChartPlans
    let flowDefinition: FlowDefinition<ChartFlow>
    /// The context of the session that is about to begin.
    var given: JSON?
    @exclusivity(unchecked) var chains: ChainCache
    let quickSteps: LeafStepCache
    /// The step in the making.
    let step: Macrostep
    /// What expressions see when no step is in the making.
    let view: StateView
    /// Whether an event is only tried, without the payload that it may have.
    var triesWithoutPayload = false
    /// What may be spent on the rest of the trials of one view.
    var stepsForTrials = 0

    init(_ definition: ChartDefinition) throws(ExpressionProblems) {
        chart = Chart(definition)
        expressions = try ExpressionEngine(definition.expressions, variables: definition.context.map(\.name))
        plans = ChartPlans(chart)
        flowDefinition = .chart(chart, plans)
        chains = ChainCache(chart, expressions, plans)
        quickSteps = LeafStepCache(chart)
        step = Macrostep(chart, expressions, plans)
        view = StateView(chart)
    }

    // MARK: Steps

    /// The state that a session begins in.
    func begin(on clock: FlowClock) throws(FlowError) -> ChartState {
        defer { given = nil }
        step.begin(variables: try initialVariables(), on: clock)
        return try step.complete { step throws(FlowError) in try step.enterInitially() }
    }

    /// The context's values: those that were given, and else the file's.
    func initialVariables() throws(FlowError) -> [JSON] {
        guard let given else { return chart.definition.context.map(\.initial) }
        var variables: [JSON] = []
        for (variable, type) in zip(chart.definition.context, chart.types) {
            let value = given[variable.name] ?? variable.initial
            guard let accepted = type.accepted(value) else {
                throw .refused("'\(variable.name)' is \(variable.words), and not \(value.description.shortened)")
            }
            if given[variable.name] != nil, let complaint = variable.complaint(aboutLengthOf: accepted) {
                throw .refused(complaint)
            }
            variables.append(accepted)
        }
        return variables
    }

    /// Selects what the event leads to, and runs it.
    @inline(__always)
    func step(from state: ChartState, on event: ChartEvent, _ clock: FlowClock) throws(FlowError) -> ChartState {
        if state.more?.hasOnlyVariables ?? true, event.isPlain, let quick = quickStep(state, event) {
            guard let plan = quick.timer else {
                return ChartState(leafPlace: quick.leafPlace, timer: nil, 0, more: state.more)
            }
            let timer = try step.makeTimer(plan.object, after: state.timer, on: clock)
            return ChartState(leafPlace: quick.leafPlace, timer: timer, Int(quick.timerNumber), more: state.more)
        }
        return try slowStep(from: state, on: event, clock)
    }

    private func slowStep(from state: ChartState, on event: ChartEvent, _ clock: FlowClock) throws(FlowError) -> ChartState {
        guard state.leafPlace != ChartState.several, event.delayed == 0 else {
            return try run(select(event, in: state, on: clock), event, from: state, on: clock)
        }
        let chain = chains.chain(ofLeaf: Int(state.leafPlace), event.spec)
        guard !chain.candidates.isEmpty else { throw .transitionNotFound }
        if let memory = state.more, let next = try briskStep(chain, memory, state, event, clock) { return next }
        step.begin(state, event, on: clock)
        return try step.complete { step throws(FlowError) in
            for candidate in chain.candidates {
                if let condition = candidate.condition, try !step.isTrue(condition) { continue }
                return try step.takeTransitions(candidate)
            }
            throw .transitionNotFound
        }
    }

    @inline(__always)
    private func quickStep(_ state: ChartState, _ event: ChartEvent) -> QuickStep? {
        quickSteps.step(ofLeaf: state.leafPlace, event: event.number) {
            QuickStep(chains.chain(ofLeaf: Int(state.leafPlace), event.spec), chart, plans)
        }
    }

    /// Runs what was selected.
    func run(_ selection: Selection, _ event: ChartEvent, from state: ChartState, on clock: FlowClock) throws(FlowError)
        -> ChartState
    {
        switch selection {
        case .one(let candidate):
            step.begin(state, event, on: clock)
            return try step.complete { step throws(FlowError) in try step.takeTransitions(candidate) }
        case .several(let transitions):
            step.begin(state, event, on: clock)
            return try step.complete { step throws(FlowError) in try step.takeTransitions(transitions) }
        case .delivery(let delayed):
            step.begin(state, event, on: clock)
            return try step.complete { step throws(FlowError) in step.deliver(delayed) }
        }
    }
}

/// What an event leads to.
enum Selection {
    /// The one transition of a session with one leaf.
    case one(Candidate)
    /// Transitions that do not conflict, in the order in which they are taken.
    case several([Int])
    /// A delayed event for another session.
    case delivery(DelayedEvent)
}

// Runs the sessions of one chart: its compiled expressions, its plans for steps, and what a step in the making needs. Of one thread.

import GameFlow
import Memory
import Texts

final class ChartEngine {
    let chart: Chart
    let expressions: ExpressionEngine
    /// The plans of the chart's timers, for timers with a fixed length.
    let plans: ChartPlans
    let flowDefinition: FlowDefinition<ChartFlow>
    /// Whether some state postpones events.
    let hasPostponed: Bool
    /// The context of the session that is about to begin.
    var given: JSON?
    var chains: ChainCache
    let shortSteps: ShortStepTable
    /// The values that a short step has replaced in its session's memory, in order.
    @exclusivity(unchecked) var oldValues: [(variable: Int, JSON)] = []
    /// The step in the making; between steps, the session for the guards of tried events and for the screen.
    var step: Macrostep
    /// The steps left for the rest of the trials of one view.
    var stepsForTrials = 0

    init(_ definition: ChartDefinition) throws(TextProblem) {
        chart = Chart(definition)
        hasPostponed = definition.states.contains { !$0.postponed.isEmpty }
        expressions = try ExpressionEngine(definition.expressions, variables: definition.context.map(\.name))
        plans = ChartPlans(chart)
        flowDefinition = .chart(chart, plans, reading: expressions.eventFields)
        chains = ChainCache(chart)
        shortSteps = ShortStepTable(chart)
        step = Macrostep(chart, expressions, plans)
    }

    // MARK: Steps

    /// The state that a session begins in.
    func begin(on clock: FlowClock) throws(FlowError) -> ChartState {
        defer { given = nil }
        step.begin(variables: try variables(given), on: clock)
        return try step.complete { step throws(FlowError) in try step.enterInitially() }
    }

    /// The context's values: those that were given or saved, and else the file's. Only lengths of given ones are checked.
    func variables(_ values: JSON?, areSaved: Bool = false) throws(FlowError) -> [JSON] {
        var variables = chart.definition.context.map(\.initial)
        for (number, variable) in chart.definition.context.enumerated() {
            guard let value = values?[variable.name] else { continue }
            guard let accepted = chart.types[number].accepted(value) else {
                throw .refused(variable.refusal(of: value.description.shortened))
            }
            if !areSaved, let complaint = variable.complaint(aboutLengthOf: accepted) { throw .refused(complaint) }
            variables[number] = accepted
        }
        return variables
    }

    /// Selects what the event leads to, and runs it.
    @inline(__always)
    func step(from state: ChartState, on event: ChartEvent, _ clock: FlowClock) throws(FlowError) -> ChartState {
        if let next = try shortStep(from: state, on: event, clock) { return next }
        return try slowStep(from: state, on: event, clock)
    }

    private func slowStep(from state: ChartState, on event: ChartEvent, _ clock: FlowClock) throws(FlowError) -> ChartState {
        if state.leafIndex != ChartState.several, event.delayed == 0,
            chains.chain(ofLeaf: Int(state.leafIndex), event.spec).isEmpty
        {
            throw withoutTransition(event, in: state)
        }
        let delayed = event.delayed == 0 ? nil : state.more?.rest?.delayed.first { $0.number == event.delayed }
        guard event.delayed == 0 || delayed != nil else { throw .transitionNotFound }
        step.begin(state, event, on: clock)
        return try step.complete { step throws(FlowError) in
            if let delayed, delayed.recipient != nil { return step.deliver(delayed) }
            let selected = try select(event, in: state) { transition throws(FlowError) in try step.isEnabled(transition) }
            // Where several leaves or a delayed event are asked, that has a limit by itself.
            if state.leafIndex == ChartState.several || event.delayed != 0 { expressions.allow(ChartBounds.steps) }
            switch selected {
            case .one(let candidate): try step.takeTransitions(candidate)
            case .several(let transitions): try step.takeTransitions(transitions)
            }
        }
    }
}

/// A plan for each timer. A timer with a computed length has a plan without length here, and gets a new plan each time.
struct ChartPlans: Sendable {
    let plans: [TimerPlan]
    /// By the timers' names.
    let numbers: [String: Int]

    init(_ chart: Chart) {
        plans = chart.definition.timers.indices.map { Self.plan($0, in: chart) }
        numbers = Dictionary(plans.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    private static func plan(_ number: Int, in chart: Chart) -> TimerPlan {
        let timer = chart.definition.timers[number]
        let spec = chart.events.timers[number]
        let length: Duration =
            switch timer.length {
            case .fixed(let length): length
            case .computed: timer.kind == .countdown ? .zero : .seconds(1)
            }
        switch timer.kind {
        case .countdown:
            let milestones = timer.milestones.enumerated().map { index, left in
                Milestone(left, message: ChartEvent(chart.events.milestones[number][index]))
            }
            return .countdown(
                timer.name, length, label: timer.label, restart: timer.restart, message: ChartEvent(spec),
                milestones: milestones)
        case .pendulum:
            return .pendulum(timer.name, every: length, label: timer.label, restart: timer.restart) { missed in
                ChartEvent(spec, .object([.init("missed", .integer(missed))]))
            }
        }
    }
}

// MARK: - Screens

extension ChartEngine {
    func screen(of state: ChartState, on clock: FlowClock) -> Screen {
        expressions.allow(ChartBounds.steps)
        let before = expressions.spent
        step.view(state, nil, on: clock)
        defer {
            step.reset()
            if expressions.spent - before > Self.maxShortSteps { clock.requestTimeCheck() }
        }
        let views = step.configuration.reversed().compactMap { chart.states[$0].view }
        return Screen(
            title: views.lazy.compactMap(\.title).first.map(text)
                ?? state.leaves(of: chart).map { chart.states[$0].key.spelledOut }.joined(separator: ", "),
            text: views.lazy.compactMap(\.text).first.map(text) ?? "", progress: progress(views))
    }

    private func progress(_ views: [ChartView]) -> Double? {
        guard let formula = views.lazy.compactMap(\.progress).first, let value = try? step.value(of: formula).double else {
            return nil
        }
        return min(max(value, 0), 1)
    }

    /// A text that cannot be made is replaced by its error.
    private func text(_ template: Template) -> String {
        do throws(FlowError) { return try step.text(of: template) } catch { return "(\(error))" }
    }
}

// MARK: - A chart as a flow: what the machine asks, answered by the chart's engine.

/// A session's flow. The engine is that of its kind, which outlives it.
struct ChartFlow: Flow {
    typealias State = ChartState
    typealias Event = ChartEvent
    typealias Context = ChartContext

    private let engineReference: Borrowed<ChartEngine>
    let clock: FlowClock

    init(_ engine: ChartEngine, on clock: FlowClock) {
        engineReference = Borrowed(engine)
        self.clock = clock
    }

    var engine: ChartEngine { engineReference.object }

    var definition: FlowDefinition<ChartFlow> { engine.flowDefinition }

    func initialState() throws -> ChartState { try engine.begin(on: clock) }

    /// Not called: `step` and `accepts` do without it.
    func transition(from state: ChartState, on event: ChartEvent) -> Transition { { try step(from: state, on: event) } }

    func step(from state: ChartState, on event: ChartEvent) throws(FlowError) -> ChartState {
        try engineReference.with { engine in
            Result { () throws(FlowError) in try engine.step(from: state, on: event, clock) }
        }
        .get()
    }

    func beginTrials() { engine.beginTrials() }

    func accepts(_ event: ChartEvent, in state: ChartState) -> Bool { engine.mayTake(event, in: state, on: clock) }

    func restored(_ image: SessionImage, from current: ChartState?) throws -> ChartState? {
        try engine.restore(image, from: current, on: clock)
    }

    func isFinal(_ state: ChartState) -> Bool { engine.chart.isDone(state) }

    func screen(for state: ChartState) -> Screen { engine.screen(of: state, on: clock) }

    func outbox(of state: ChartState) -> Outbox? { state.more?.rest?.outgoing }

    func children(of state: ChartState) -> [ChildSession] {
        (state.more?.rest?.children ?? []).map { ChildSession(engine.chart.definition.invocations[$0.number].id, $0.stage) }
    }

    func setStage(_ stage: ChildSession.Stage?, ofChild id: String, in state: ChartState) {
        guard let rest = state.more?.rest,
            let index = rest.children.firstIndex(where: { engine.chart.definition.invocations[$0.number].id == id })
        else { return }
        if let stage { rest.children[index].stage = stage } else { rest.children.remove(at: index) }
    }

    func output(of state: ChartState) -> JSON? { state.more?.rest?.output }
}

/// Coding without the flow: it codes a chart's contexts and restores its states, since it knows the chart.
struct NotByItself: Error {}

/// The context that a session is given when it begins; nil where none is. A session keeps it among its data.
struct ChartContext: RawContext {
    let given: JSON?

    init(_ json: JSON?) { given = json }

    init(from decoder: any Decoder) throws { throw NotByItself() }

    func encode(to encoder: any Encoder) throws { throw NotByItself() }
}

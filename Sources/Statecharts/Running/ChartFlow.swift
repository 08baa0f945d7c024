// A chart as a flow: what the machine asks, answered by the chart's engine.

import GameFlow
import Memory
import Timers

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

    func transition(from state: ChartState, on event: ChartEvent) throws(FlowError) -> Transition {
        let engine = engine
        let selected = try engine.select(event, in: state, on: clock)
        let clock = clock
        return { try engine.run(selected, event, from: state, on: clock) }
    }

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
            let place = rest.children.firstIndex(where: { engine.chart.definition.invocations[$0.number].id == id })
        else { return }
        if let stage { rest.children[place].stage = stage } else { rest.children.remove(at: place) }
    }

    func output(of state: ChartState) -> JSON? { state.more?.rest?.output }
}

/// The context that a session is given when it begins; nil where none is. A session keeps it among its data.
struct ChartContext: RawContext {
    private struct NotByItself: Error {}

    let given: JSON?

    init(_ json: JSON?) { given = json }

    init(from decoder: any Decoder) throws { throw NotByItself() }

    func encode(to encoder: any Encoder) throws { throw NotByItself() }
}

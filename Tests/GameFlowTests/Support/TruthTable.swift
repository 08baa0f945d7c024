// A flow's truth table: for every state, which event leads where. Events that a row does not name must be refused.

import GameFlow
import Testing
import Timers

struct TruthTable<F: TypedFlow> where F.Context == NoContext {
    let makeFlow: (FlowClock) -> F
    /// The data that a state needs to be started in.
    var data: [String: JSON] = [:]
    /// State, event, next state.
    let rows: [String: [String: String]]

    /// Tries one event in one state, with each of its samples, and compares with the table.
    func check(_ state: String, _ event: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let spec = try #require(F.events[event])
        let expected = rows[state]?[event]
        for sample in spec.samples {
            let flow = try FlowUnderTest(makeFlow, startingIn: state, data: data[state] ?? .object([]))
            let before = Snapshot(flow.machine)
            let source = try #require(EventSource.allCases.first { spec.sources.contains($0) })
            do {
                let outcome = try flow.machine.send(sample, from: source)
                #expect(outcome == (expected == "postponed" ? .postponed : .taken), sourceLocation: sourceLocation)
                #expect(flow.state == (expected == "postponed" ? state : expected), sourceLocation: sourceLocation)
            } catch Refusal.transitionNotFound(let what) {
                #expect(expected == nil, "it was refused", sourceLocation: sourceLocation)
                #expect(what.state == state && what.event == event, sourceLocation: sourceLocation)
                #expect(what.accepted?.contains(event) == false, sourceLocation: sourceLocation)
                #expect(Snapshot(flow.machine) == before, sourceLocation: sourceLocation)
            }
        }
    }
}

/// The visible state of a session; equal snapshots mean that nothing has changed.
struct Snapshot: Equatable {
    let state: String
    let data: String?
    let version: UInt32
    let generations: [UInt64]

    init(_ machine: AnyMachine) {
        state = machine.stateName
        data = try? machine.stateData().description
        version = machine.version
        generations = machine.timers.map(\.generation)
    }
}

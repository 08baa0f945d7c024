// A flow's graph for programs: the states and edges that its SVG has, by the same ids.

import GameFlow
import JSON

extension FlowGraph {
    package var json: JSON {
        let isRootDrawn = DrawnGraph(self).hasOuterFrame
        let shown = states.indices.filter { $0 > 0 || isRootDrawn }
        return .object([
            .init("flow", .string(flow)), .init("states", .array(shown.map(stateJSON))),
            .init("edges", .array(edges.indices.map(edgeJSON))),
        ])
    }

    private func stateJSON(_ number: Int) -> JSON {
        let state = states[number]
        let isInitial = state.parent.map { states[$0].beginnings.contains(number) || states[$0].kind == .parallel } ?? true
        return .object([
            .init("id", .string("state-\(number)")), .init("name", .string(state.path)),
            .init("kind", .string(state.kind.word)),
            .init("final", .bool(state.kind == .final)), .init("initial", .bool(isInitial)),
            .init("parent", state.parent.map { .string(states[$0].path) } ?? .null),
        ])
    }

    private func edgeJSON(_ number: Int) -> JSON {
        let edge = edges[number]
        return .object([
            .init("id", .string("edge-\(number)")), .init("from", .string(states[edge.from].path)),
            .init("to", .string(states[edge.to].path)), .init("event", edge.event.map(JSON.string) ?? .null),
            .init("timer", edge.timer.map(JSON.string) ?? .null), .init("guard", edge.condition.map(JSON.string) ?? .null),
            .init("label", .string(edge.label)), .init("inner", .bool(edge.isInner)),
        ])
    }
}

extension FlowGraph.State.Kind {
    fileprivate var word: String {
        switch self {
        case .atomic: "atomic"
        case .compound: "compound"
        case .parallel: "parallel"
        case .final: "final"
        case .history: "history"
        }
    }
}

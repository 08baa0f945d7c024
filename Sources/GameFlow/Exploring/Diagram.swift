// A flow's graph: as the flow is written, or else as an exploration finds it.

extension FlowKind {
    package final func graph() throws -> FlowGraph {
        if let written { return written.graph }
        return try exploration().graph
    }
}

extension Exploration {
    /// For Graphviz.
    public var dot: String { graph.dot }

    /// For Mermaid, which web pages and code hosts draw.
    public var mermaid: String { graph.mermaid }

    package var graph: FlowGraph {
        let seen = [initial] + edges.flatMap { [$0.from, $0.to] }
        let names = (states + seen).uniqued
        let places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0 + 1) })
        let root = FlowGraph.State(
            name: flow, path: "", kind: .compound, parent: nil, children: Array(1..<names.count + 1),
            beginnings: [places[initial]].compactMap { $0 })
        return FlowGraph(
            flow: flow, origin: .explored,
            states: [root] + names.enumerated().map { state($1, isListed: $0 < states.count) },
            edges: edges.compactMap { edge in
                guard let from = places[edge.from], let to = places[edge.to] else { return nil }
                return FlowGraph.Edge(
                    from: from, to: to, event: edge.step.event, timer: edge.step.timer, label: "\(edge.step)")
            })
    }

    private func state(_ name: String, isListed: Bool) -> FlowGraph.State {
        var state = FlowGraph.State(
            name: name, path: name, kind: finals.contains(name) ? .final : .atomic, parent: 0)
        state.isReached = paths[name] != nil
        state.isListed = isListed
        return state
    }
}

extension Step {
    fileprivate var event: String? {
        switch self {
        case .event(let name): name
        case .timer: nil
        }
    }

    /// A milestone's step is called `round, 10s left`.
    fileprivate var timer: String? {
        switch self {
        case .event: return nil
        case .timer(let name):
            guard name.hasSuffix(" left"), let comma = name.lastIndex(of: ",") else { return name }
            return String(name[..<comma])
        }
    }
}

extension [String] {
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}

// A graph as pictures have it: what leads the same way is one arrow, and what happens within a state is written into its box.

import Texts

/// Charts are drawn as their files have them: a picture of all combinations of the states of several regions would be unreadable.
package struct DrawnGraph: Sendable {
    /// An arrow from one state to another, with all that leads along it.
    package struct Arrow: Sendable {
        package let from: Int
        package let to: Int
        /// Each once.
        package var labels: [String]
        /// The numbers of its edges.
        package var edges: [Int]
    }

    package let graph: FlowGraph
    package private(set) var arrows: [Arrow] = []
    /// By state: the edges that happen within it.
    package private(set) var inner: [[Int]]

    package init(_ graph: FlowGraph) {
        self.graph = graph
        inner = Array(repeating: [], count: graph.states.count)
        var places: [[Int]: Int] = [:]
        for (number, edge) in graph.edges.enumerated() {
            if edge.isInner { inner[edge.from].append(number) } else { add(edge, number, &places) }
        }
    }

    private mutating func add(_ edge: FlowGraph.Edge, _ number: Int, _ places: inout [[Int]: Int]) {
        let place = places[[edge.from, edge.to]] ?? arrows.count
        if place == arrows.count { arrows.append(Arrow(from: edge.from, to: edge.to, labels: [], edges: [])) }
        places[[edge.from, edge.to]] = place
        arrows[place].edges.append(number)
        if !arrows[place].labels.contains(edge.label) { arrows[place].labels.append(edge.label) }
    }

    /// The state's name, as it is shown.
    package func name(of state: Int) -> String {
        switch graph.states[state].kind {
        case .history(let isDeep): isDeep ? "H*" : "H"
        case .atomic, .compound, .parallel, .final: graph.states[state].name.printable
        }
    }

    /// The state's name, and the events handled within it.
    func lines(of state: Int) -> [String] {
        [name(of: state)] + inner[state].prefix(Self.maxLines).map { graph.edges[$0].label }
            + (inner[state].count > Self.maxLines ? ["…"] : [])
    }

    /// The most lines of events within a state that are written into it.
    package static let maxLines = 6
}

// MARK: - Which states are drawn as frames around others

extension DrawnGraph {
    package func isFrame(_ state: Int) -> Bool { !graph.states[state].children.isEmpty }

    package func isParallel(_ state: Int) -> Bool { graph.states[state].kind == .parallel }

    package func isRegion(_ state: Int) -> Bool { graph.states[state].parent.map(isParallel) ?? false }

    /// Whether the root, too, is a frame: something is said of it.
    package var hasOuterFrame: Bool {
        isParallel(0) || !inner[0].isEmpty || arrows.contains { $0.from == 0 || $0.to == 0 }
    }

    /// Whether the state is the other one, or somewhere inside of it.
    package func isInside(_ state: Int, _ frame: Int) -> Bool {
        var place = state
        while place != frame {
            guard let parent = graph.states[place].parent else { return false }
            place = parent
        }
        return true
    }

    /// The node that represents a state. For a frame it is the dot at its initial state. A parallel state begins in all regions, and the dot of its
    /// first region represents it.
    func node(_ state: Int) -> String {
        guard isFrame(state) else { return "s\(state)" }
        return isParallel(state) ? node(graph.states[state].children[0]) : "b\(state)"
    }
}

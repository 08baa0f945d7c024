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
        var indices: [[Int]: Int] = [:]
        for (number, edge) in graph.edges.enumerated() {
            if edge.isInner { inner[edge.from].append(number) } else { add(edge, number, &indices) }
        }
    }

    private mutating func add(_ edge: FlowGraph.Edge, _ number: Int, _ indices: inout [[Int]: Int]) {
        let index = indices[[edge.from, edge.to]] ?? arrows.count
        if index == arrows.count { arrows.append(Arrow(from: edge.from, to: edge.to, labels: [], edges: [])) }
        indices[[edge.from, edge.to]] = index
        arrows[index].edges.append(number)
        if !arrows[index].labels.contains(edge.label) { arrows[index].labels.append(edge.label) }
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

    // MARK: Which states are drawn as frames around others

    package func isFrame(_ state: Int) -> Bool { !graph.states[state].children.isEmpty }

    package func isParallel(_ state: Int) -> Bool { graph.states[state].kind == .parallel }

    package func isRegion(_ state: Int) -> Bool { graph.states[state].parent.map(isParallel) ?? false }

    /// Whether the root, too, is a frame, since it has lines of text.
    package var hasOuterFrame: Bool {
        isParallel(0) || !inner[0].isEmpty || arrows.contains { $0.from == 0 || $0.to == 0 }
    }

    /// Whether the state is the other one, or somewhere inside of it.
    package func isInside(_ state: Int, _ frame: Int) -> Bool {
        var index = state
        while index != frame {
            guard let parent = graph.states[index].parent else { return false }
            index = parent
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

// MARK: - Texts as pictures have them.

extension String {
    /// Lines of about 26 characters. A longer text is broken before its guard; a part that is still longer, before `=`, `and` and `or`; and a very
    /// long one, at any space.
    package var lines: [String] {
        parts { $0.hasPrefix("[") }.flatMap { $0.parts { $0 == "=" || $0 == "and" || $0 == "or" } }.flatMap(\.filled)
    }

    /// The text in parts that begin with such words, if it is too long for one.
    private func parts(beginning begins: (Substring) -> Bool) -> [String] {
        guard count > 26 else { return [self] }
        return split(separator: " ").reduce(into: []) { parts, word in
            if parts.isEmpty || begins(word) { parts.append(String(word)) } else { parts[parts.count - 1] += " \(word)" }
        }
    }

    private var filled: [String] {
        split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + word.count < 40 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
    }

    /// With the marks of HTML written out.
    var markup: String {
        map { Self.entities[$0] ?? String($0) }.joined()
    }

    private static let entities: [Character: String] = ["<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;"]
}

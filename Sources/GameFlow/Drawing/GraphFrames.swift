// Which states are drawn as frames around others, and what stands for one where an arrow needs an end.

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

    /// What stands for a state: for a frame the dot where it begins, and for a parallel state, which begins everywhere, that of its
    /// first region.
    func node(_ state: Int) -> String {
        guard isFrame(state) else { return "s\(state)" }
        return isParallel(state) ? node(graph.states[state].children[0]) : "b\(state)"
    }
}

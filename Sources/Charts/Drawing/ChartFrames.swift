// Which states are drawn as frames around others, and what stands for one where an arrow needs an end.

extension ChartDrawing {
    func isFrame(_ state: Int) -> Bool { !chart.states[state].children.isEmpty }

    func isParallel(_ state: Int) -> Bool { chart.states[state].kind == .parallel }

    func isRegion(_ state: Int) -> Bool { chart.states[state].parent.map(isParallel) ?? false }

    /// Whether the root, too, is a frame: something is said of it.
    var hasOuterFrame: Bool {
        isParallel(0) || lines(of: 0).count > 1 || arrows.contains { $0.from == 0 || $0.to == 0 }
    }

    /// Whether the state is the other one, or somewhere inside of it.
    func isInside(_ state: Int, _ frame: Int) -> Bool {
        state == frame || chart.states[state].parent.map { isInside($0, frame) } ?? false
    }

    /// What stands for a state: for a frame the dot where it begins, and for a parallel state, which begins everywhere, that of its
    /// first region.
    func node(_ state: Int) -> String {
        guard isFrame(state) else { return "s\(state)" }
        return isParallel(state) ? node(chart.states[state].children[0]) : "b\(state)"
    }
}

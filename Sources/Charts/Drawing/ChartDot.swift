// A chart for Graphviz. A state with others inside of it is a frame with its name in it, and what leads from and to the whole of it begins
// and ends at that name.

extension ChartDefinition {
    /// For Graphviz.
    package var dot: String { ChartDot(ChartDrawing(self)).text }
}

private struct ChartDot {
    let drawing: ChartDrawing

    init(_ drawing: ChartDrawing) {
        self.drawing = drawing
    }

    var text: String {
        var lines = ["digraph \(quoted([drawing.chart.name])) {", "  rankdir=LR; node [shape=box, style=rounded];"]
        lines.append("  start [shape=point];")
        lines += contents(of: 0, "  ")
        lines += drawing.beginnings(of: 0).map { "  start -> s\($0);" }
        if case .parallel = drawing.chart.states[0].kind { lines += ["  start -> s0;"] }
        lines += drawing.arrows.map { "  s\($0.from) -> s\($0.to) [label=\(quoted($0.labels))];" }
        return (lines + ["}"]).joined(separator: "\n")
    }

    /// The root has no frame of its own, unless something leads from it.
    private func contents(of state: Int, _ indent: String) -> [String] {
        guard state > 0 || needsRoot else { return inside(of: state, indent) }
        return isFrame(state) ? frame(state, indent) : [indent + box(state)]
    }

    private var needsRoot: Bool {
        guard drawing.chart.states[0].kind != .parallel else { return true }
        return drawing.lines(of: 0).count > 1 || drawing.arrows.contains { $0.from == 0 || $0.to == 0 }
    }

    private func isFrame(_ state: Int) -> Bool { !drawing.chart.states[state].children.isEmpty }

    private func inside(of state: Int, _ indent: String) -> [String] {
        drawing.chart.states[state].children.flatMap { contents(of: $0, indent) }
    }

    private func frame(_ state: Int, _ indent: String) -> [String] {
        let isRegion = drawing.chart.states[state].parent.map { drawing.chart.states[$0].kind == .parallel } ?? false
        var lines = ["\(indent)subgraph cluster\(state) {"]
        lines.append("\(indent)  style=\"rounded\(isRegion ? ",dashed" : "")\";")
        lines.append("\(indent)  s\(state) [label=\(quoted(drawing.lines(of: state))), shape=plaintext];")
        lines += inside(of: state, indent + "  ")
        lines += begins(state).map { "\(indent)  s\(state) -> s\($0) [style=dotted];" }
        return lines + [indent + "}"]
    }

    private func begins(_ state: Int) -> [Int] {
        let node = drawing.chart.states[state]
        return node.kind == .parallel ? node.children.filter { !isHistory($0) } : drawing.beginnings(of: state)
    }

    private func isHistory(_ state: Int) -> Bool {
        if case .history = drawing.chart.states[state].kind { true } else { false }
    }

    private func box(_ state: Int) -> String {
        let label = quoted(drawing.lines(of: state))
        return switch drawing.chart.states[state].kind {
        case .history: "s\(state) [label=\(label), shape=circle];"
        case .final: "s\(state) [label=\(label), peripheries=2];"
        case .atomic, .compound, .parallel: "s\(state) [label=\(label)];"
        }
    }

    /// A text of several lines, as Graphviz has it.
    private func quoted(_ lines: [String]) -> String {
        let escaped = lines.map { line in
            line.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        }
        return "\"\(escaped.joined(separator: "\\n"))\""
    }
}

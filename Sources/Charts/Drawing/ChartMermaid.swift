// A chart for Mermaid, which web pages and code hosts draw: as a flowchart, whose frames can stand in each other and have arrows of their
// own.

extension ChartDefinition {
    /// For Mermaid.
    package var mermaid: String { ChartMermaid(ChartDrawing(self)).text }
}

private struct ChartMermaid {
    let drawing: ChartDrawing

    init(_ drawing: ChartDrawing) {
        self.drawing = drawing
    }

    var text: String {
        var lines = ["flowchart TD", "  start(( ))"]
        lines += drawing.chart.states[0].children.flatMap { contents(of: $0, "  ") }
        lines += drawing.beginnings(of: 0).map { "  start --> s\($0)" }
        lines += drawing.arrows.map { arrow in
            let label = arrow.labels.filter { !$0.isEmpty }
            return "  s\(arrow.from) -->\(label.isEmpty ? "" : "|\(quoted(label))|") s\(arrow.to)"
        }
        return lines.joined(separator: "\n")
    }

    private func contents(of state: Int, _ indent: String) -> [String] {
        let node = drawing.chart.states[state]
        guard !node.children.isEmpty else { return [indent + box(state)] }
        return ["\(indent)subgraph s\(state)[\(quoted(drawing.lines(of: state)))]"]
            + node.children.flatMap { contents(of: $0, indent + "  ") }
            + drawing.beginnings(of: state).map { "\(indent)  i\(state)(( )) --> s\($0)" } + [indent + "end"]
    }

    private func box(_ state: Int) -> String {
        let label = quoted(drawing.lines(of: state))
        return switch drawing.chart.states[state].kind {
        case .history: "s\(state)((\(label)))"
        case .final: "s\(state)([\(label)])"
        case .atomic, .compound, .parallel: "s\(state)[\(label)]"
        }
    }

    /// A text of several lines, as Mermaid has it: with the marks of HTML and its own written out.
    private func quoted(_ lines: [String]) -> String {
        "\"\(lines.map { $0.map { Self.entities[$0] ?? String($0) }.joined() }.joined(separator: "<br>"))\""
    }

    private static let entities: [Character: String] = ["\"": "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "&": "#amp;"]
}

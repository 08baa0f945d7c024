// A chart for Mermaid, which web pages and code hosts draw: as a flowchart, whose frames can stand in each other and have arrows of their
// own.

struct FramedMermaid {
    let drawing: DrawnGraph

    init(_ drawing: DrawnGraph) {
        self.drawing = drawing
    }

    var text: String {
        (["flowchart TD"] + contents(of: 0, "  ") + drawing.arrows.indices.map { "  " + arrow($0) }).joined(separator: "\n")
    }

    private func contents(of state: Int, _ indent: String) -> [String] {
        guard drawing.isFrame(state) else { return [indent + box(state)] }
        return state > 0 || drawing.hasOuterFrame ? frame(state, indent) : inside(of: state, indent)
    }

    private func frame(_ state: Int, _ indent: String) -> [String] {
        ["\(indent)subgraph s\(state)[\(quoted(drawing.lines(of: state)))]"] + inside(of: state, indent + "  ") + [
            indent + "end"
        ]
            + (drawing.isRegion(state) ? ["\(indent)style s\(state) stroke-dasharray: 5 5"] : [])
    }

    private func inside(of state: Int, _ indent: String) -> [String] {
        let words = drawing.arrows.indices.filter { drawing.arrows[$0].from == state && leadsInside(drawing.arrows[$0]) }
        return words.map { "\(indent)e\($0)[\(quoted(drawing.arrows[$0].labels))]" } + beginning(of: state, indent)
            + drawing.graph.states[state].children.flatMap { contents(of: $0, indent) }
    }

    private func beginning(of state: Int, _ indent: String) -> [String] {
        guard !drawing.isParallel(state) else { return [] }
        return ["\(indent)b\(state)(( ))"] + drawing.graph.states[state].beginnings.map { "\(indent)b\(state) --> s\($0)" }
    }

    /// Mermaid refuses arrows between a frame and what is in it: those begin at a word in the frame, or end where it begins.
    private func arrow(_ number: Int) -> String {
        let arrow = drawing.arrows[number]
        guard !leadsInside(arrow) else { return "e\(number) --> \(drawing.node(arrow.to))" }
        let label = arrow.labels.filter { !$0.isEmpty }
        let target = drawing.isInside(arrow.from, arrow.to) ? drawing.node(arrow.to) : "s\(arrow.to)"
        return "s\(arrow.from) -->\(label.isEmpty ? "" : "|\(quoted(label))|") \(target)"
    }

    private func leadsInside(_ arrow: DrawnGraph.Arrow) -> Bool {
        drawing.isFrame(arrow.from) && drawing.isInside(arrow.to, arrow.from)
    }

    private func box(_ state: Int) -> String {
        let label = quoted(drawing.lines(of: state))
        return switch drawing.graph.states[state].kind {
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

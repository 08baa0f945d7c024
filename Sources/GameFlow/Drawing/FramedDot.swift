// A chart for Graphviz. A state with inner states is a frame, with a dot at its initial state. An arrow's text is a node on its way, so that nothing
// is drawn over it. No arrow can begin at a frame, so an arrow from a whole frame begins at such a text node inside it.

struct FramedDot {
    private let drawing: DrawnGraph
    /// By frame: the numbers of the arrows with words in it.
    private var words: [[Int]]

    init(drawing: DrawnGraph) {
        self.drawing = drawing
        words = Array(repeating: [], count: drawing.graph.states.count)
        for (number, arrow) in drawing.arrows.enumerated() where hasWord(arrow) { words[home(arrow)].append(number) }
    }

    var text: String {
        let parts = contents(of: 0, "  ") + drawing.arrows.indices.flatMap(arrow).map { "  " + $0 }
        return (["digraph \(quoted([drawing.graph.flow])) {"] + DotStyle.lines + parts + ["}"]).joined(separator: "\n")
    }

    // MARK: States

    private func contents(of state: Int, _ indent: String) -> [String] {
        guard drawing.isFrame(state) else { return [indent + box(state)] }
        return state > 0 || drawing.hasOuterFrame ? frame(state, indent) : inside(of: state, indent)
    }

    private func frame(_ state: Int, _ indent: String) -> [String] {
        let (style, fill) = drawing.isRegion(state) ? ("rounded,filled,dashed", "#ffffff") : ("rounded,filled", "#f4f8fc")
        let look = ##"style="\##(style)"; fillcolor="\##(fill)"; color="#8fa8c4";"##
        return ["\(indent)subgraph cluster\(state) {", "\(indent)  label=<\(title(state))>; \(look)"]
            + inside(of: state, indent + "  ") + [indent + "}"]
    }

    private func inside(of state: Int, _ indent: String) -> [String] {
        (beginning(of: state) + words[state].map(word)).map { indent + $0 }
            + drawing.graph.states[state].children.flatMap { contents(of: $0, indent) }
    }

    /// A dot, and arrows to where the state begins. A parallel state begins in all its regions, and needs none.
    private func beginning(of state: Int) -> [String] {
        guard !drawing.isParallel(state) else { return [] }
        return ["b\(state) \(DotStyle.dot);"]
            + drawing.graph.states[state].beginnings.map { edge("b\(state)", drawing.node($0), border(of: $0, from: state)) }
    }

    private func box(_ state: Int) -> String {
        let label = quoted(drawing.lines(of: state))
        return switch drawing.graph.states[state].kind {
        case .history: "s\(state) [label=\(label), shape=circle, margin=0];"
        case .final: "s\(state) [label=\(label), \(DotStyle.final)];"
        case .atomic, .compound, .parallel: "s\(state) [label=\(label)];"
        }
    }

    // MARK: Arrows

    /// The path from the state through the word to the target. An arrow that leads back is written the other way round, so that states stand in the
    /// file's order, and words between them.
    private func arrow(_ number: Int) -> [String] {
        let arrow = drawing.arrows[number]
        let source = drawing.isFrame(arrow.from) ? nil : "s\(arrow.from)"
        let way = [source, hasWord(arrow) ? "e\(number)" : nil, drawing.node(arrow.to)].compactMap { $0 }
        return zip(way, way.dropFirst()).map { from, to in
            let marks = to == way.last ? border(of: arrow.to, from: arrow.from) : ["dir=none"]
            return arrow.to < arrow.from ? edge(to, from, reversed(marks)) : edge(from, to, marks)
        }
    }

    private func edge(_ from: String, _ to: String, _ marks: [String]) -> String {
        "\(from) -> \(to)\(marks.isEmpty ? "" : " [\(marks.joined(separator: ", "))]");"
    }

    private func reversed(_ marks: [String]) -> [String] {
        marks == ["dir=none"] ? marks : ["dir=back"] + marks.map { $0.hasPrefix("lhead") ? "ltail\($0.dropFirst(5))" : $0 }
    }

    /// An arrow into a parallel state ends at its frame: it has no dot.
    private func border(of state: Int, from source: Int) -> [String] {
        drawing.isParallel(state) && !drawing.isInside(source, state) ? ["lhead=cluster\(state)"] : []
    }

    // MARK: Words on arrows

    private func hasWord(_ arrow: DrawnGraph.Arrow) -> Bool {
        drawing.isFrame(arrow.from) || arrow.labels.contains { !$0.isEmpty }
    }

    /// A word that an arrow begins at has a colour.
    private func word(_ number: Int) -> String {
        let arrow = drawing.arrows[number]
        let lines = arrow.labels.map { $0.isEmpty ? "always" : $0 }.flatMap(\.lines)
        let style = drawing.isFrame(arrow.from) ? "rounded,filled" : "solid"
        return "e\(number) [label=\(quoted(lines)), style=\"\(style)\", \(Self.word)];"
    }

    private static let word =
        ##"color=transparent, width=0, height=0, margin="0.07,0.03", fontsize=10, fontcolor="#334455""##

    /// The frame that a word stands in: the one that it leads from, or the smallest that both ends are in.
    private func home(_ arrow: DrawnGraph.Arrow) -> Int {
        guard !drawing.isFrame(arrow.from) else { return arrow.from }
        let around = Set(sequence(first: arrow.to) { drawing.graph.states[$0].parent })
        var frame = arrow.from
        while !drawing.isFrame(frame) || !around.contains(frame), let parent = drawing.graph.states[frame].parent {
            frame = parent
        }
        return frame
    }

    // MARK: Texts

    /// A frame's name, and what happens in it, in what Graphviz has of HTML.
    private func title(_ state: Int) -> String {
        let lines = drawing.lines(of: state).map(\.markup)
        let rest = lines.dropFirst().map { "<font point-size=\"10\">\($0)</font><br align=\"left\"/>" }
        return "<b>\(lines[0])</b><br align=\"left\"/>\(rest.joined())"
    }

    /// A text of several lines, as Graphviz has it.
    private func quoted(_ lines: [String]) -> String {
        let escaped = lines.map { line in
            line.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        }
        return "\"\(escaped.joined(separator: "\\n"))\""
    }
}

// A flow as a graph: what DOT, MERMAID, SVG and the page's JSON are all drawn from, be the flow written in a file or explored.

/// States and what leads from one to another, in document order.
package struct FlowGraph: Sendable {
    package enum Origin: Sendable {
        /// The flow is drawn as its file has it.
        case written
        /// It was found by trying every event and timer.
        case explored
    }

    package let flow: String
    package let origin: Origin
    /// Each before its children; the first is the root, which stands for the flow as a whole.
    package var states: [State]
    package var edges: [Edge]

    package init(flow: String, origin: Origin, states: [State], edges: [Edge]) {
        self.flow = flow
        self.origin = origin
        self.states = states
        self.edges = edges
    }

    package struct State: Sendable {
        package enum Kind: Sendable, Equatable {
            case atomic
            case compound
            case parallel
            case final
            /// Remembers which of its parent's children were active (shallow), or which of their descendants (deep).
            case history(isDeep: Bool)

            package var isHistory: Bool { if case .history = self { true } else { false } }
        }

        /// Its own name, as it was written.
        package let name: String
        /// The dotted path from the root; empty for the root.
        package let path: String
        package let kind: Kind
        package let parent: Int?
        package var children: [Int]
        /// The initial states, or the default target of a history state. A parallel state begins in all its children.
        package var beginnings: [Int]
        /// False where an exploration found no way to it.
        package var isReached = true
        /// Whether the flow lists it. An exploration may find one that is missing there.
        package var isListed = true

        package init(
            name: String, path: String, kind: Kind, parent: Int?, children: [Int] = [], beginnings: [Int] = []
        ) {
            self.name = name
            self.path = path
            self.kind = kind
            self.parent = parent
            self.children = children
            self.beginnings = beginnings
        }
    }

    package struct Edge: Sendable, Hashable {
        package let from: Int
        package let to: Int
        /// The event that leads along it; nil for a timer, and for a transition without an event.
        package let event: String?
        /// The timer that sends the event at its end or at a milestone.
        package let timer: String?
        /// Its guard, fit to be shown.
        package let condition: String?
        /// The arrow's text, its guard included.
        package let label: String
        /// Whether it happens within its state, without leaving it.
        package let isInner: Bool

        package init(
            from: Int, to: Int, event: String? = nil, timer: String? = nil, condition: String? = nil, label: String,
            isInner: Bool = false
        ) {
            self.from = from
            self.to = to
            self.event = event
            self.timer = timer
            self.condition = condition
            self.label = label
            self.isInner = isInner
        }
    }

    /// The label of an event that waits in a state.
    package static func postponed(_ event: String) -> String { "\(event) (postponed)" }

    /// The label of an event that leads to where a session came from.
    package static func back(_ event: String) -> String { event.isEmpty || event == "back" ? "back" : "\(event) (back)" }

    /// For Graphviz.
    package var dot: String {
        switch origin {
        case .written: FramedDot(drawing: DrawnGraph(self)).text
        case .explored: plainDot
        }
    }

    /// For Mermaid, which web pages and code hosts draw.
    package var mermaid: String {
        switch origin {
        case .written: FramedMermaid(drawing: DrawnGraph(self)).text
        case .explored: plainMermaid
        }
    }

    // MARK: An explored flow as text for programs that draw it

    var plainDot: String {
        var lines = ["digraph \(quoted(flow)) {"] + DotStyle.lines
        lines += states[0].beginnings.map { "  start \(DotStyle.dot); start -> \(quoted(states[$0].path));" }
        for state in listed {
            let marks = [state.kind == .final ? DotStyle.final : nil, state.isReached ? nil : #"style="rounded,dashed""#]
            let look = marks.compactMap { $0 }.joined(separator: ", ")
            lines.append("  \(quoted(state.path))\(look.isEmpty ? "" : " [\(look)]");")
        }
        for edge in edges {
            lines.append(
                "  \(quoted(states[edge.from].path)) -> \(quoted(states[edge.to].path)) [label=\(quoted(" \(edge.label) "))];")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    var plainMermaid: String {
        var lines = ["stateDiagram-v2"] + states[0].beginnings.map { "  [*] --> \(states[$0].path)" }
        for state in listed where !state.isReached { lines.append("  \(state.path)") }
        for edge in edges { lines.append("  \(states[edge.from].path) --> \(states[edge.to].path): \(edge.label)") }
        for state in listed where state.kind == .final { lines.append("  \(state.path) --> [*]") }
        return lines.joined(separator: "\n")
    }

    private var listed: [State] { states.dropFirst().filter(\.isListed) }

    private func quoted(_ text: String) -> String {
        JSON.string(text).description
    }
}

// MARK: - Style of the Graphviz text

package enum DotStyle {
    package static let font = #"fontname="Helvetica,Arial,sans-serif""#

    /// The opening lines of every graph. Its size is in inches: a graph wider than 1000 points is drawn smaller.
    package static let lines = [
        #"  rankdir=LR; compound=true; size="13.8,100"; nodesep=0.25; ranksep=0.3; labeljust=l; fontsize=12; \#(font);"#,
        ##"  node [shape=box, style="rounded,filled", fillcolor="#e3eefa", color="#3b6ea5", height=0.35, fontsize=12, \##(font)];"##,
        ##"  edge [arrowsize=0.7, color="#556677", fontcolor="#334455", fontsize=10, \##(font)];"##,
    ]

    /// Where something begins.
    package static let dot = ##"[shape=point, width=0.09, fillcolor="#334455", color="#334455"]"##
    package static let final = "penwidth=2.5"
}

// MARK: - A chart for Mermaid

struct FramedMermaid {
    private let drawing: DrawnGraph
    /// By frame: the numbers of the arrows that lead from it to its inside.
    private var words: [[Int]]

    init(drawing: DrawnGraph) {
        self.drawing = drawing
        words = Array(repeating: [], count: drawing.graph.states.count)
        for (number, arrow) in drawing.arrows.enumerated() where leadsInside(arrow) { words[arrow.from].append(number) }
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
        words[state].map { "\(indent)e\($0)[\(quoted(drawing.arrows[$0].labels))]" } + beginning(of: state, indent)
            + drawing.graph.states[state].children.flatMap { contents(of: $0, indent) }
    }

    private func beginning(of state: Int, _ indent: String) -> [String] {
        guard !drawing.isParallel(state) else { return [] }
        return ["\(indent)b\(state)(( ))"] + drawing.graph.states[state].beginnings.map { "\(indent)b\(state) --> s\($0)" }
    }

    /// Mermaid refuses arrows between a frame and its inner states. Those arrows begin at a word in the frame, or end at the frame's initial state.
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

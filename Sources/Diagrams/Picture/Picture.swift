// A flow's picture: its boxes, frames and arrows, each with its texts and their sizes, before they have places.

import GameFlow
import Texts

package struct Picture: Sendable {
    /// A line of an arrow's label, or of the events within a state.
    struct Line: Sendable {
        let text: String
        let isOfTimer: Bool
        /// The number of its edge; nil if it represents no single edge.
        let edge: Int?
        /// The edges that have no line of their own, where this one stands for them.
        var omitted: ArraySlice<Int> = []
    }

    enum BoxKind: Sendable {
        case state(Int, inner: [Line])
        /// Where a frame begins.
        case dot
        /// The start of an arrow that leads from a whole frame to a state inside it.
        case word([Line])
    }

    struct FrameKind: Sendable {
        let state: Int
        let title: String
        let inner: [Line]
    }

    struct LinkKind: Sendable {
        /// The edges that it is the way of; none for the way from a dot to where a frame begins.
        let edges: [Int]
        let label: [Line]
    }

    let graph: DrawnGraph
    package private(set) var problem = LayoutProblem()
    private(set) var boxes: [BoxKind] = []
    private(set) var frames: [FrameKind] = []
    private(set) var links: [LinkKind] = []
    /// By state: the end that represents it.
    private var ends: [LayoutProblem.End] = []
    /// By frame: the box of its dot.
    private var dots: [Int: Int] = [:]

    /// Throws if the graph is too large to be readable.
    package init(_ graph: FlowGraph) throws(DiagramError) {
        try graph.checkSize()
        self.graph = DrawnGraph(graph)
        for state in graph.states.indices { addState(state) }
        for state in graph.states.indices where self.graph.isFrame(state) { addBeginning(of: state) }
        for arrow in self.graph.arrows { add(arrow) }
    }

    // MARK: States

    private mutating func addState(_ state: Int) {
        let home = graph.graph.states[state].parent.map(frame)
        guard let home, !graph.isFrame(state) else { return addFrame(state, in: home) }
        ends.append(addBox(.state(state, inner: innerLines(state)), in: home, order: state))
    }

    private mutating func addFrame(_ state: Int, in parent: Int?) {
        let kind = FrameKind(state: state, title: name(state), inner: innerLines(state))
        ends.append(.frame(frames.count))
        frames.append(kind)
        problem.frames.append(
            .init(
                parent: parent, title: Measure.title(kind), order: state, isVisible: parent != nil || graph.hasOuterFrame))
    }

    /// A dot, and a link to where the state begins. A parallel state begins in all its regions, and needs none.
    private mutating func addBeginning(of state: Int) {
        guard !graph.isParallel(state), case .box(let box) = addBox(.dot, in: frame(state), order: state) else { return }
        dots[frame(state)] = box
        for target in graph.graph.states[state].beginnings { link(.box(box), ends[target], [], []) }
    }

    private mutating func addBox(_ kind: BoxKind, in frame: Int, order: Int) -> LayoutProblem.End {
        boxes.append(kind)
        problem.boxes.append(.init(size: size(of: kind), frame: frame, order: order))
        return .box(boxes.count - 1)
    }

    private func size(of kind: BoxKind) -> Size {
        switch kind {
        case .state(let state, let inner):
            if graph.graph.states[state].kind.isHistory { return Size(PictureMetrics.history, PictureMetrics.history) }
            return Measure.box(name(state), inner)
        case .dot: return Size(PictureMetrics.dot, PictureMetrics.dot)
        case .word(let lines): return Measure.word(lines)
        }
    }

    func name(_ state: Int) -> String { graph.name(of: state).clipped(to: PictureMetrics.nameColumns) }

    /// The frame that represents the state.
    private func frame(_ state: Int) -> Int {
        guard case .frame(let frame) = ends[state] else { preconditionFailure("a state with children is a frame") }
        return frame
    }

    private func innerLines(_ state: Int) -> [Line] {
        let inner = graph.inner[state]
        let lines = inner.prefix(DrawnGraph.maxLines).map { number in
            let edge = graph.graph.edges[number]
            return Line(text: edge.label.clipped(to: PictureMetrics.labelColumns), isOfTimer: edge.timer != nil, edge: number)
        }
        let omitted = inner.dropFirst(lines.count)
        return lines + (omitted.isEmpty ? [] : [Line(text: "…", isOfTimer: false, edge: nil, omitted: omitted)])
    }

    // MARK: Arrows

    private mutating func add(_ arrow: DrawnGraph.Arrow) {
        let lines = labelLines(arrow)
        if graph.isFrame(arrow.from), graph.isInside(arrow.to, arrow.from) {
            let words = lines.isEmpty ? [Line(text: "always", isOfTimer: false, edge: arrow.edges.first)] : lines
            let word = addBox(.word(words), in: frame(arrow.from), order: arrow.from)
            return link(word, inward(arrow.to, from: arrow.from), arrow.edges, [])
        }
        link(ends[arrow.from], inward(arrow.to, from: arrow.from), arrow.edges, lines)
    }

    /// An arrow to a frame from its inside ends at the frame's initial state.
    private func inward(_ state: Int, from source: Int) -> LayoutProblem.End {
        guard graph.isFrame(state), graph.isInside(source, state) else { return ends[state] }
        return beginning(of: state)
    }

    private func beginning(of state: Int) -> LayoutProblem.End {
        guard graph.isFrame(state) else { return ends[state] }
        guard let dot = dots[frame(state)] else { return beginning(of: graph.graph.states[state].children[0]) }
        return .box(dot)
    }

    private mutating func link(
        _ from: LayoutProblem.End, _ to: LayoutProblem.End, _ edges: [Int], _ label: [Line]
    ) {
        links.append(LinkKind(edges: edges, label: label))
        problem.links.append(.init(from: from, to: to, label: label.isEmpty ? .zero : Measure.lines(label)))
    }

    /// Equal labels of several edges of an arrow are shown once, and of very many the first ones.
    private func labelLines(_ arrow: DrawnGraph.Arrow) -> [Line] {
        var seen: Set<String> = []
        return arrow.edges.flatMap { number -> [Line] in
            let edge = graph.graph.edges[number]
            guard !edge.label.isEmpty, seen.count <= PictureMetrics.maxLabels, seen.insert(edge.label).inserted else {
                return []
            }
            if seen.count > PictureMetrics.maxLabels { return [Line(text: "…", isOfTimer: false, edge: number)] }
            let lines = edge.label.lines
            let shown =
                lines.count > PictureMetrics.maxLabelLines
                ? lines.prefix(PictureMetrics.maxLabelLines - 1) + ["…"] : lines[...]
            return shown.enumerated().map { index, text in
                Line(
                    text: text.clipped(to: PictureMetrics.labelColumns), isOfTimer: edge.timer != nil && index == 0,
                    edge: number)
            }
        }
    }
}

extension FlowGraph {
    private static let maxStates = 2_000
    private static let maxEdges = 6_000

    fileprivate func checkSize() throws(DiagramError) {
        guard states.count > Self.maxStates || edges.count > Self.maxEdges else { return }
        throw DiagramError(
            description:
                "a picture has \(Self.maxStates) states and \(Self.maxEdges) arrows at most, and '\(flow.shortened.printable)' has \(states.count) and \(edges.count); DIAGRAM draws it as DOT or MERMAID"
        )
    }
}

// MARK: - Sizes of type and distances, in pixels

enum PictureMetrics {
    static let nameSize = 13.0
    static let nameLine = 18.0
    static let labelSize = 11.0
    static let labelLine = 14.0
    /// Names and lines are cut beyond this many columns.
    static let nameColumns = 32
    static let labelColumns = 44
    /// The most labels at an arrow.
    static let maxLabels = 6
    /// The most label lines of an edge at an arrow.
    static let maxLabelLines = 6
    static let boxPadding = Size(12, 7)
    static let narrowestBox = 56.0
    static let history = 28.0
    static let dot = 9.0
    /// The room of a timer's clock before its label.
    static let clock = 13.0
    static let margin = 12.0
}

// MARK: - Sizes of texts

enum Measure {
    static func box(_ name: String, _ inner: [Picture.Line]) -> Size {
        let width = max(TextWidth.of(name, at: PictureMetrics.nameSize), lines(inner).width)
        let height = PictureMetrics.nameLine + Double(inner.count) * PictureMetrics.labelLine
        return Size(
            max(PictureMetrics.narrowestBox, width + 2 * PictureMetrics.boxPadding.width).rounded(.up),
            height + 2 * PictureMetrics.boxPadding.height)
    }

    static func word(_ text: [Picture.Line]) -> Size {
        let size = lines(text)
        return Size(size.width + 16, size.height + 8)
    }

    static func title(_ frame: Picture.FrameKind) -> Size {
        let size = lines(frame.inner)
        return Size(
            max(TextWidth.of(frame.title, at: PictureMetrics.nameSize) * 1.1, size.width).rounded(.up),
            PictureMetrics.nameLine + size.height)
    }

    static func lines(_ lines: [Picture.Line]) -> Size {
        let width =
            lines.map { TextWidth.of($0.text, at: PictureMetrics.labelSize) + ($0.isOfTimer ? PictureMetrics.clock : 0) }.max()
            ?? 0
        return Size(width.rounded(.up), Double(lines.count) * PictureMetrics.labelLine)
    }
}

// MARK: - Estimates the width of a text, since the reader's font is unknown

enum TextWidth {
    /// In pixels, at a size of type in pixels.
    static func of(_ text: String, at size: Double) -> Double {
        text.reduce(0) { $0 + width(of: $1) } * size
    }

    /// In ems.
    private static func width(of character: Character) -> Double {
        guard let byte = character.asciiValue else { return [0, 0.66, 1.25][min(2, String(character).displayWidth)] }
        switch byte {
        case 0x69, 0x6A, 0x6C, 0x2E, 0x2C, 0x3A, 0x3B, 0x27, 0x7C, 0x21: return 0.32
        case 0x20, 0x66, 0x74, 0x72, 0x28, 0x29, 0x5B, 0x5D, 0x2F, 0x5C, 0x2D: return 0.4
        case 0x6D, 0x77, 0x4D, 0x57, 0x40, 0x25: return 0.96
        case 0x41...0x5A, 0x26, 0x3C...0x3E, 0x2B, 0x7E: return 0.74
        default: return 0.62
        }
    }
}

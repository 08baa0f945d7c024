// A layout of our own, by Sugiyama's method: layers from top to bottom, few crossings, and curves that pass no box. Each frame is laid out by
// itself, from the outermost to find which way its links lead, and back to know how large it is; a link that leads into a frame crosses its
// border at a port. The same problem gets the same layout, always.

package struct LayeredLayout {
    let problem: LayoutProblem
    /// By frame: the boxes and frames directly in it, in document order.
    private var contents: [[LayoutProblem.End]]
    /// By frame: the links with ends in two different parts of it.
    private var links: [[Int]]
    /// By box: the room for links to itself, and their labels.
    private var loops: [Int: Double] = [:]
    private var arrangements: [Int: Arrangement] = [:]
    private var reversed: Set<Int> = []
    /// Bends that may still be made, in all frames together.
    private var bendsLeft = 300_000

    /// Throws if it would take too long, or be too large to look at.
    package static func layout(of problem: LayoutProblem) throws(DiagramError) -> Layout {
        var layout = LayeredLayout(problem)
        let whole = try layout.arrange(0, [])
        return Assembly(problem, layout.arrangements, layout.reversed).layout(whole.size)
    }

    private init(_ problem: LayoutProblem) {
        self.problem = problem
        contents = Array(repeating: [], count: problem.frames.count)
        links = Array(repeating: [], count: problem.frames.count)
        for (box, value) in problem.boxes.enumerated() { contents[value.frame].append(.box(box)) }
        for (frame, value) in problem.frames.enumerated() {
            if let parent = value.parent { contents[parent].append(.frame(frame)) }
        }
        for frame in contents.indices { contents[frame].sort { problem.order(of: $0) < problem.order(of: $1) } }
        for (number, link) in problem.links.enumerated() {
            if !link.isLoop {
                links[problem.smallestFrame(around: link.from, link.to)].append(number)
            } else if case .box(let box) = link.from {
                loops[box] = Loop.width + link.label.width + 8
            }
        }
    }

    /// A place where a link crosses a frame's border.
    struct Port {
        let link: Int
        let isTop: Bool
        /// The link's end inside the frame.
        let end: LayoutProblem.End
    }

    private mutating func arrange(_ frame: Int, _ ports: [Port]) throws(DiagramError) -> Arrangement {
        var graph = localGraph(frame, ports)
        graph.removeCycles()
        reversed.formUnion(graph.reversed)
        graph.assignLayers()
        try arrangeFrames(in: &graph)
        let problem = problem
        try graph.splitLongEdges({ link in problem.links[link].label }, &bendsLeft)
        graph.fixPorts { [arrangements] link, kind in
            guard case .frame(let inner) = kind, let arrangement = arrangements[inner] else { return nil }
            return arrangement.ports[link].map { $0 - arrangement.size.width / 2 }
        }
        graph.orderLayers()
        graph.attachEdges()
        graph.placeAcross()
        graph.straighten()
        let height = graph.placeDown()
        let arrangement = Arrangement(graph, height: height, problem.frames[frame])
        arrangements[frame] = arrangement
        return arrangement
    }

    // MARK: The graph in one frame

    private func localGraph(_ frame: Int, _ ports: [Port]) -> LocalGraph {
        var (graph, indices) = (LocalGraph(), [LayoutProblem.End: Int]())
        for (order, end) in contents[frame].enumerated() {
            indices[end] = graph.nodes.count
            graph.nodes.append(node(end, order))
        }
        for number in links[frame] {
            let link = problem.links[number]
            guard let from = indices[problem.part(of: frame, with: link.from)],
                let to = indices[problem.part(of: frame, with: link.to)]
            else { continue }
            graph.edges.append(
                LocalEdge(
                    link: number, upper: from, lower: to, upperEnd: link.from, lowerEnd: link.to,
                    length: link.hasLabel ? 2 : 1))
        }
        for port in ports {
            guard let inner = indices[problem.part(of: frame, with: port.end)] else { continue }
            let node = graph.nodes.count
            graph.nodes.append(LocalNode(kind: .port(link: port.link, isTop: port.isTop)))
            graph.edges.append(
                port.isTop
                    ? LocalEdge(link: port.link, upper: node, lower: inner, lowerEnd: port.end, length: 1)
                    : LocalEdge(link: port.link, upper: inner, lower: node, upperEnd: port.end, length: 1))
        }
        return graph
    }

    private func node(_ end: LayoutProblem.End, _ order: Int) -> LocalNode {
        switch end {
        case .box(let box):
            let (size, loop) = (problem.boxes[box].size, loops[box] ?? 0)
            return LocalNode(
                kind: .box(box), left: size.width / 2, right: size.width / 2 + loop, height: size.height, order: order)
        case .frame(let frame): return LocalNode(kind: .frame(frame), order: order)
        }
    }

    // MARK: Frames in frames

    /// Which side a link crosses their borders at is known once they have layers.
    private mutating func arrangeFrames(in graph: inout LocalGraph) throws(DiagramError) {
        let (out, into) = graph.incidence()
        for index in graph.nodes.indices {
            guard case .frame(let frame) = graph.nodes[index].kind else { continue }
            let below = out[index].map { port(graph.edges[$0].link, isTop: false, graph.edges[$0].upperEnd, of: frame) }
            let above = into[index].map { port(graph.edges[$0].link, isTop: true, graph.edges[$0].lowerEnd, of: frame) }
            let size = try arrange(frame, (above + below).compactMap { $0 }).size
            (graph.nodes[index].left, graph.nodes[index].right) = (size.width / 2, size.width / 2)
            graph.nodes[index].height = size.height
        }
    }

    /// Nil for a link that ends at the frame's border.
    private func port(_ link: Int, isTop: Bool, _ end: LayoutProblem.End?, of frame: Int) -> Port? {
        guard let end, end != .frame(frame) else { return nil }
        return Port(link: link, isTop: isTop, end: end)
    }
}

// MARK: - The frames' arrangements put together

struct Assembly {
    private let problem: LayoutProblem
    private let arrangements: [Int: Arrangement]
    private let reversed: Set<Int>
    private var boxes: [Rectangle]
    private var frames: [Rectangle]
    private var labels: [Int: Point] = [:]
    /// By link: its parts in the frames that it passes.
    private var parts: [[[Point]]]

    init(_ problem: LayoutProblem, _ arrangements: [Int: Arrangement], _ reversed: Set<Int>) {
        (self.problem, self.arrangements, self.reversed) = (problem, arrangements, reversed)
        let nowhere = Rectangle(Point(0, 0), .zero)
        boxes = Array(repeating: nowhere, count: problem.boxes.count)
        frames = Array(repeating: nowhere, count: problem.frames.count)
        parts = Array(repeating: [], count: problem.links.count)
        place(frame: 0, at: Point(PictureMetrics.margin, PictureMetrics.margin))
    }

    private mutating func place(frame: Int, at origin: Point) {
        guard let arrangement = arrangements[frame] else { return }
        frames[frame] = Rectangle(origin, arrangement.size)
        for (kind, area) in arrangement.parts {
            switch kind {
            case .box(let box): boxes[box] = area.moved(by: origin)
            case .frame(let inner): place(frame: inner, at: area.moved(by: origin).origin)
            case .port, .bend, .label: break
            }
        }
        for (link, way) in arrangement.ways { parts[link].append(way.map { $0.moved(by: origin) }) }
        for (link, place) in arrangement.labels { labels[link] = place.moved(by: origin) }
    }

    func layout(_ size: Size) -> Layout {
        Layout(
            size: Size(size.width + 2 * PictureMetrics.margin, size.height + 2 * PictureMetrics.margin), boxes: boxes,
            frames: frames,
            routes: problem.links.indices.map(route))
    }

    /// All parts lead downwards, one after the other.
    private func route(_ number: Int) -> Layout.Route {
        let link = problem.links[number]
        if link.isLoop, case .box(let box) = link.from { return Loop.route(at: boxes[box], label: link.label) }
        let sorted = parts[number].sorted { ($0.first?.y ?? 0) < ($1.first?.y ?? 0) }
        let points = sorted.dropFirst().reduce(sorted.first ?? []) { $0 + $1.dropFirst() }
        return Layout.Route(points: reversed.contains(number) ? points.reversed() : points, label: labels[number])
    }
}

/// A link from a box to itself, at the box's right side.
enum Loop {
    static let width = 26.0

    static func route(at box: Rectangle, label: Size) -> Layout.Route {
        let (middle, high) = (box.middle.y, min(9, box.size.height / 4))
        let (start, end) = (Point(box.right, middle - high), Point(box.right, middle + high))
        let far = box.right + width * 1.25
        return Layout.Route(
            points: [start, Point(far, middle - 2 * high), Point(far, middle + 2 * high), end],
            label: label.width > 0 ? Point(box.right + width + 3, middle - label.height / 2) : nil)
    }
}

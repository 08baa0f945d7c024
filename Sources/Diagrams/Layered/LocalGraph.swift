// The parts directly in one frame, and the links between them: the graph that the steps of Sugiyama's method work on. Each step is an extension.

struct LocalNode {
    enum Kind: Equatable {
        case box(Int)
        case frame(Int)
        /// Where a link crosses the frame's upper or lower border.
        case port(link: Int, isTop: Bool)
        /// A place that a long link passes.
        case bend
        case label(link: Int)
    }

    let kind: Kind
    /// The room that it needs on both sides of its middle; a box has more on its right side for links to itself.
    var left = 0.0
    var right = 0.0
    var height = 0.0
    var order = 0
    var layer = 0
    /// Its index in its layer.
    var position = 0
    var x = 0.0
    /// Its upper side.
    var y = 0.0

    var isPort: Bool { if case .port = kind { true } else { false } }
    var isBottomPort: Bool { if case .port(_, isTop: false) = kind { true } else { false } }

    /// Whether lines only pass it.
    var isThin: Bool {
        switch kind {
        case .bend, .label: true
        case .box, .frame, .port: false
        }
    }
}

/// A link's part in a frame, from its upper end to its lower one.
struct LocalEdge {
    let link: Int
    var upper: Int
    var lower: Int
    /// The link's two ends, which may be further inside; nil for an end outside of the frame.
    var upperEnd: LayoutProblem.End?
    var lowerEnd: LayoutProblem.End?
    /// The least number of layers between its ends: a label has a separate layer.
    let length: Int
    /// All nodes that it passes, its ends included.
    var way: [Int] = []
    /// Offsets from the middles of its ends, once known. A link that continues inside of an end decides where.
    var upperOffset: Double?
    var lowerOffset: Double?

    /// Each step of its way to the next layer, with the offsets from the middles of both nodes.
    var steps: [(upper: Int, lower: Int, start: Double, end: Double)] {
        zip(way, way.dropFirst()).enumerated().map { index, nodes in
            (nodes.0, nodes.1, index == 0 ? upperOffset ?? 0 : 0, index == way.count - 2 ? lowerOffset ?? 0 : 0)
        }
    }

    mutating func turn() {
        swap(&upper, &lower)
        swap(&upperEnd, &lowerEnd)
    }
}

struct LocalGraph {
    var nodes: [LocalNode] = []
    var edges: [LocalEdge] = []
    /// By layer, its nodes from left to right.
    var layers: [[Int]] = []
    /// By layer: from its upper to its lower side.
    var bands: [ClosedRange<Double>] = []
    /// Links that point upwards.
    var reversed: Set<Int> = []

    /// By node: the edges that begin, and that end there.
    func incidence() -> (out: [[Int]], into: [[Int]]) {
        var (out, into) = ([[Int]](repeating: [], count: nodes.count), [[Int]](repeating: [], count: nodes.count))
        for (number, edge) in edges.enumerated() {
            out[edge.upper].append(number)
            into[edge.lower].append(number)
        }
        return (out, into)
    }

    // MARK: Third step

    /// Throws if there would be too many.
    mutating func splitLongEdges(_ labels: (Int) -> Size, _ budget: inout Int) throws(DiagramError) {
        for number in edges.indices { try split(number, labels(edges[number].link), &budget) }
        layers = Array(repeating: [], count: (nodes.map(\.layer).max() ?? 0) + 1)
    }

    private mutating func split(_ number: Int, _ label: Size, _ budget: inout Int) throws(DiagramError) {
        let edge = edges[number]
        let between = (nodes[edge.upper].layer + 1)..<max(nodes[edge.lower].layer, nodes[edge.upper].layer + 1)
        budget -= between.count
        guard budget > 0 else {
            throw DiagramError(
                description: "its arrows are too long and too many for a picture; DIAGRAM draws it as DOT or MERMAID")
        }
        // Near the middle.
        let labelled = label.width > 0 ? between.lowerBound + (between.count - 1) / 2 : nil
        edges[number].way = [edge.upper] + between.map { addBend(edge, in: $0, $0 == labelled ? label : nil) } + [edge.lower]
    }

    private mutating func addBend(_ edge: LocalEdge, in layer: Int, _ label: Size?) -> Int {
        var node = LocalNode(kind: label == nil ? .bend : .label(link: edge.link))
        node.layer = layer
        node.order = nodes[edge.upper].order
        if let label { (node.left, node.right, node.height) = (3, label.width + 6, label.height) }
        nodes.append(node)
        return nodes.count - 1
    }

    // MARK: Last step: an edge's way as curves, from its upper end to its lower one

    /// Ways begin and end straight, for as long as an arrow's head is.
    static let headroom = 8.0

    func way(of edge: LocalEdge) -> [Point] {
        let tops = edge.way.map { nodes[$0].y }
        let start = Point(nodes[edge.upper].x + (edge.upperOffset ?? 0), tops[0] + nodes[edge.upper].height)
        var points = [start]
        for (index, node) in edge.way.enumerated().dropFirst() {
            let (upper, isLast) = (nodes[edge.way[index - 1]].layer, index == edge.way.count - 1)
            let x = nodes[node].x + (isLast ? edge.lowerOffset ?? 0 : 0)
            let band = bands[nodes[node].layer]
            points.goDown(to: bands[upper].upperBound + (index == 1 ? Self.headroom : 0))
            points.curve(to: Point(x, band.lowerBound - (isLast ? Self.headroom : 0)))
            points.goDown(to: isLast ? nodes[node].y : band.upperBound)
        }
        return points
    }
}

extension [Point] {
    fileprivate mutating func goDown(to y: Double) {
        guard let last, y > last.y + 0.01 else { return }
        let step = (y - last.y) / 3
        self += [Point(last.x, last.y + step), Point(last.x, last.y + 2 * step), Point(last.x, y)]
    }

    /// Leaves and arrives straight down.
    fileprivate mutating func curve(to end: Point) {
        guard let last else { return }
        let bend = (end.y - last.y) * 0.55
        self += [Point(last.x, last.y + bend), Point(end.x, end.y - bend), end]
    }
}

// MARK: - First step: links that lead back are turned around, so that no circle is left

extension LocalGraph {
    mutating func removeCycles() {
        let (out, into) = incidence()
        var (isSeen, isOpen) = ([Bool](repeating: false, count: nodes.count), [Bool](repeating: false, count: nodes.count))
        var back: [Int] = []
        // Nodes without incoming links come first: dots, words and ports.
        let ordered = nodes.indices.sorted { (nodes[$0].order, $0) < (nodes[$1].order, $1) }
        for start in ordered.filter({ into[$0].isEmpty }) + ordered.filter({ !into[$0].isEmpty }) where !isSeen[start] {
            walk(from: start, out, &isSeen, &isOpen, &back)
        }
        for number in back {
            edges[number].turn()
            reversed.insert(edges[number].link)
        }
    }

    private func walk(from start: Int, _ out: [[Int]], _ isSeen: inout [Bool], _ isOpen: inout [Bool], _ back: inout [Int]) {
        var path = [(node: start, next: 0)]
        (isSeen[start], isOpen[start]) = (true, true)
        while let (node, next) = path.last {
            guard next < out[node].count else {
                isOpen[node] = false
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            let edge = out[node][next]
            let target = edges[edge].lower
            if isOpen[target] { back.append(edge) }
            guard !isSeen[target] else { continue }
            (isSeen[target], isOpen[target]) = (true, true)
            path.append((target, 0))
        }
    }

    // MARK: Second step: each node gets a layer, so that every link leads downwards, and links are short.

    mutating func assignLayers() {
        let (out, into) = incidence()
        let order = topologicalOrder(out, into)
        for node in order {
            nodes[node].layer = into[node].map { nodes[edges[$0].upper].layer + edges[$0].length }.max() ?? 0
        }
        for _ in 0..<8 {
            for node in order.reversed() { pull(node, out[node], into[node]) }
            for node in order { pull(node, out[node], into[node]) }
        }
        spreadLonelyNodes(out, into)
        let last = nodes.filter { !$0.isBottomPort }.map(\.layer).max() ?? 0
        for node in nodes.indices where nodes[node].isBottomPort { nodes[node].layer = last + 1 }
    }

    private func topologicalOrder(_ out: [[Int]], _ into: [[Int]]) -> [Int] {
        var missing = into.map(\.count)
        var order = nodes.indices.filter { missing[$0] == 0 }
        var next = 0
        while next < order.count {
            for edge in out[order[next]] {
                let target = edges[edge].lower
                missing[target] -= 1
                if missing[target] == 0 { order.append(target) }
            }
            next += 1
        }
        return order
    }

    /// Moves a node to where its links are shortest together.
    private mutating func pull(_ node: Int, _ out: [Int], _ into: [Int]) {
        guard !nodes[node].isPort, out.count != into.count || into.isEmpty else { return }
        if out.count > into.count {
            let lowest = out.map { nodes[edges[$0].lower].layer - edges[$0].length }.min() ?? 0
            nodes[node].layer = max(nodes[node].layer, lowest)
        } else if !into.isEmpty {
            nodes[node].layer = into.map { nodes[edges[$0].upper].layer + edges[$0].length }.max() ?? 0
        }
    }

    /// Nodes without links form several rows, not in one endless row.
    private mutating func spreadLonelyNodes(_ out: [[Int]], _ into: [[Int]]) {
        let lonely = nodes.indices.filter { out[$0].isEmpty && into[$0].isEmpty }
        guard lonely.count > 4 else { return }
        let row = max(4, Int((2 * Double(lonely.count)).squareRoot()))
        for (index, node) in lonely.enumerated() { nodes[node].layer = index / row }
    }
}

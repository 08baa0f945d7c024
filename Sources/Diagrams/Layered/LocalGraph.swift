// What stands directly in one frame, and the links between: the graph that the steps of Sugiyama's method work on. Each step is an extension.

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
    /// Its place in its layer.
    var place = 0
    var x = 0.0
    /// Its upper side.
    var y = 0.0

    var isPort: Bool {
        switch kind {
        case .port: true
        case .box, .frame, .bend, .label: false
        }
    }

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
    /// What the link leads from and to, which may be further inside; nil where it goes on outside of the frame.
    var upperEnd: LayoutProblem.End?
    var lowerEnd: LayoutProblem.End?
    /// How many layers its ends are apart at least: a label stands in one of its own.
    let length: Int
    /// All nodes that it passes, its ends included.
    var way: [Int] = []
    /// Where it leaves its upper end and meets its lower one, beside their middles.
    var upperOffset = 0.0
    var lowerOffset = 0.0
    /// Whether it goes on inside of its end, which says where.
    var isUpperFixed = false
    var isLowerFixed = false

    init(
        link: Int, _ upper: Int, _ lower: Int, ends: (upper: LayoutProblem.End?, lower: LayoutProblem.End?), length: Int
    ) {
        self.link = link
        self.upper = upper
        self.lower = lower
        (upperEnd, lowerEnd) = ends
        self.length = length
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
}

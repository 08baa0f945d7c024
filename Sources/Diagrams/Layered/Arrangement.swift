// A frame's contents at their positions, relative to the frame's left upper corner.

struct Arrangement {
    let size: Size
    let parts: [(kind: LocalNode.Kind, area: Rectangle)]
    /// By link: its way in this frame, downwards.
    let ways: [Int: [Point]]
    let labels: [Int: Point]
    /// By link: how far to the right it crosses the border.
    let ports: [Int: Double]

    init(_ graph: LocalGraph, height: Double, _ frame: LayoutProblem.Frame) {
        let border =
            frame.isVisible ? Border(title: frame.title, side: 16, top: frame.title.height + 18, bottom: 16) : Border()
        let span = border.span(of: graph)
        let shift = Point(-span.lowerBound, border.top)
        size = Size(span.upperBound - span.lowerBound, border.top + height + border.bottom)
        parts = graph.nodes.filter { !$0.isThin && !$0.isPort }.map { node in
            // Without the room for links to itself.
            let area = Rectangle(Point(node.x - node.left, node.y), Size(2 * node.left, node.height))
            return (node.kind, area.moved(by: shift))
        }
        let all = size
        ways = Dictionary(
            graph.edges.map { edge in
                let points = graph.way(of: edge).map { $0.moved(by: shift) }
                return (edge.link, points.reaching(top: edge.upperEnd == nil, bottom: edge.lowerEnd == nil, of: all))
            }
        ) { first, _ in first }
        var (labels, ports) = ([Int: Point](), [Int: Double]())
        for node in graph.nodes {
            switch node.kind {
            case .label(let link): labels[link] = Point(node.x + 6, node.y).moved(by: shift)
            case .port(let link, _): ports[link] = node.x + shift.x
            case .box, .frame, .bend: break
            }
        }
        (self.labels, self.ports) = (labels, ports)
    }
}

/// The room between a frame's border and its content.
private struct Border {
    var title = Size.zero
    var side = 0.0
    var top = 0.0
    var bottom = 0.0

    /// From left to right. A link that crosses the upper border passes the title at its right side.
    func span(of graph: LocalGraph) -> ClosedRange<Double> {
        var left = (graph.nodes.map { $0.x - $0.left }.min() ?? 0) - side
        var right = (graph.nodes.map { $0.x + $0.right }.max() ?? 0) + side
        let ports = graph.nodes.filter { if case .port(_, isTop: true) = $0.kind { true } else { false } }.map(\.x)
        if title.width > 0, let first = ports.min() { left = min(left, first - title.width - 24) }
        right = max(right, left + title.width + (title.width > 0 ? 24 : 0))
        return left...right
    }
}

extension [Point] {
    /// A way that continues outside reaches the border.
    fileprivate func reaching(top: Bool, bottom: Bool, of size: Size) -> [Point] {
        var points = self
        if top, let first = points.first { points = [Point(first.x, 0), Point(first.x, 0)] + [first] + points }
        if bottom, let last = points.last { points += [last, Point(last.x, size.height), Point(last.x, size.height)] }
        return points
    }
}

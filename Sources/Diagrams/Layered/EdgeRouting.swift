// Last step: an edge's way as curves, from its upper end to its lower one. They bend between layers only, so that they pass no node.

extension LocalGraph {
    /// Ways begin and end straight, for as long as an arrow's head is.
    static let headroom = 8.0

    func way(of edge: LocalEdge) -> [Point] {
        let tops = edge.way.map { nodes[$0].y }
        let start = Point(nodes[edge.upper].x + edge.upperOffset, tops[0] + nodes[edge.upper].height)
        var points = [start]
        for (place, node) in edge.way.enumerated().dropFirst() {
            let (upper, isLast) = (nodes[edge.way[place - 1]].layer, place == edge.way.count - 1)
            let x = nodes[node].x + (isLast ? edge.lowerOffset : 0)
            let band = bands[nodes[node].layer]
            points.goDown(to: bands[upper].upperBound + (place == 1 ? Self.headroom : 0))
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

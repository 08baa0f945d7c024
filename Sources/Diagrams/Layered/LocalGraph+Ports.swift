// Where links leave and meet boxes and frames: side by side, in the order of where they lead. Where a link goes on inside of a frame, its
// place on the border is given, and the others stand beside it.

extension LocalGraph {
    /// `port` is how far a link crosses a frame's border beside its middle; nil if it ends at the border.
    mutating func fixPorts(_ port: (_ link: Int, LocalNode.Kind) -> Double?) {
        for number in edges.indices {
            let edge = edges[number]
            if let offset = port(edge.link, nodes[edge.upper].kind) {
                (edges[number].upperOffset, edges[number].isUpperFixed) = (offset, true)
            }
            if let offset = port(edge.link, nodes[edge.lower].kind) {
                (edges[number].lowerOffset, edges[number].isLowerFixed) = (offset, true)
            }
        }
    }

    mutating func attachEdges() {
        let (out, into) = incidence()
        for node in nodes.indices where !nodes[node].isThin && !nodes[node].isPort {
            let lower = out[node].sorted { key($0, edges[$0].way[1]) < key($1, edges[$1].way[1]) }
            let upper = into[node].sorted { key($0, edges[$0].beforeLast) < key($1, edges[$1].beforeLast) }
            let below = spread(lower.map { edges[$0].isUpperFixed ? edges[$0].upperOffset : nil }, node)
            let above = spread(upper.map { edges[$0].isLowerFixed ? edges[$0].lowerOffset : nil }, node)
            for (edge, offset) in zip(lower, below) { edges[edge].upperOffset = offset }
            for (edge, offset) in zip(upper, above) { edges[edge].lowerOffset = offset }
        }
    }

    private func key(_ edge: Int, _ neighbour: Int) -> (Int, Int) { (nodes[neighbour].place, edge) }

    /// Those that have no place get one.
    private func spread(_ fixed: [Double?], _ node: Int) -> [Double] {
        guard fixed.contains(where: { $0 != nil }) else { return spread(fixed.count, node) }
        let (step, most) = (24.0, max(0, nodes[node].left - 12))
        var offsets = fixed
        for place in offsets.indices where fixed[place] == nil {
            if place > 0, let before = offsets[place - 1] { offsets[place] = min(before + step, most) }
        }
        for place in offsets.indices.reversed() where offsets[place] == nil {
            offsets[place] = max((offsets[place + 1] ?? 0) - step, -most)
        }
        return offsets.map { $0 ?? 0 }
    }

    private func spread(_ count: Int, _ node: Int) -> [Double] {
        guard count > 1 else { return Array(repeating: 0, count: count) }
        let step = min(28, max(0, 2 * nodes[node].left - 24) / Double(count - 1))
        return (0..<count).map { (Double($0) - Double(count - 1) / 2) * step }
    }
}

extension LocalEdge {
    fileprivate var beforeLast: Int { way[way.count - 2] }
}

// What passes several layers is made straight wherever its neighbours leave it room: one bend less is worth more than a little way.

extension LocalGraph {
    mutating func straighten() {
        for _ in 0..<3 {
            for number in edges.indices where edges[number].way.count > 2 { straighten(edges[number]) }
        }
    }

    /// Runs of bends and labels, each as long as one place across suits all of it.
    private mutating func straighten(_ edge: LocalEdge) {
        let start = nodes[edge.upper].x + edge.upperOffset
        let end = nodes[edge.lower].x + edge.lowerOffset
        var run: [Int] = []
        var room = -Double.infinity...Double.infinity
        for node in edge.way.dropFirst().dropLast() {
            let mine = self.room(of: node)
            if let both = room.common(with: mine) {
                room = both
                run.append(node)
            } else {
                move(run, within: room, start, end)
                (run, room) = ([node], mine)
            }
        }
        move(run, within: room, start, end)
    }

    /// How far a node can go without coming too near to its neighbours.
    private func room(of node: Int) -> ClosedRange<Double> {
        let (layer, place) = (layers[nodes[node].layer], nodes[node].place)
        let low = place > 0 ? nodes[layer[place - 1]].x + distance(layer[place - 1], node) : -.infinity
        let high = place + 1 < layer.count ? nodes[layer[place + 1]].x - distance(node, layer[place + 1]) : .infinity
        // Rounding may leave a little less than none.
        return low <= high ? low...high : nodes[node].x...nodes[node].x
    }

    /// To where the arrow ends or begins, if there is room; else about where the run was.
    private mutating func move(_ run: [Int], within room: ClosedRange<Double>, _ start: Double, _ end: Double) {
        guard !run.isEmpty else { return }
        let mean = run.reduce(0) { $0 + nodes[$1].x } / Double(run.count)
        let wish = room.contains(end) ? end : room.contains(start) ? start : min(max(mean, room.lowerBound), room.upperBound)
        for node in run { nodes[node].x = wish }
    }
}

extension ClosedRange<Double> {
    fileprivate func common(with other: ClosedRange) -> ClosedRange? {
        let (low, high) = (Swift.max(lowerBound, other.lowerBound), Swift.min(upperBound, other.upperBound))
        return low <= high ? low...high : nil
    }
}

// Fourth step: the order in each layer, by barycentres, in sweeps down and up; the order with the fewest crossings is kept.

extension LocalGraph {
    mutating func orderLayers() {
        let neighbours = AdjacentNodes(of: self)
        beginOrder(neighbours.below)
        var (best, fewest) = (layers, isLarge ? Int.max : crossings(neighbours.below))
        for sweep in 0..<sweeps(16) where fewest > 0 {
            let isDown = sweep.isMultiple(of: 2)
            for layer in isDown ? Array(layers.indices) : layers.indices.reversed() {
                sort(layer, isDown ? neighbours.above : neighbours.below)
            }
            // In a large graph, the last order is the best guess, and counting would take as long as sorting.
            if isLarge {
                best = layers
                continue
            }
            if layers.allSatisfy({ $0.count <= Self.widest }) { swapNeighbours(neighbours) }
            let count = crossings(neighbours.below)
            if count < fewest { (best, fewest) = (layers, count) }
        }
        layers = best
        recordPositions()
    }

    /// Fewer where each takes long.
    func sweeps(_ most: Int) -> Int { isLarge ? most / 4 : most }

    private var isLarge: Bool { nodes.count > 10_000 }

    /// Only in layers so wide single pairs are swapped.
    private static let widest = 40

    /// In the order in which they are come to from above, in document order.
    private mutating func beginOrder(_ below: [[AdjacentNodes.Link]]) {
        var isSeen = [Bool](repeating: false, count: nodes.count)
        let starts = nodes.indices.sorted { (nodes[$0].layer, nodes[$0].order, $0) < (nodes[$1].layer, nodes[$1].order, $1) }
        for start in starts where !isSeen[start] {
            var waiting = [start]
            while let node = waiting.popLast() {
                guard !isSeen[node] else { continue }
                isSeen[node] = true
                layers[nodes[node].layer].append(node)
                waiting += below[node].map(\.node).reversed().filter { !isSeen[$0] }
            }
        }
        recordPositions()
    }

    private mutating func recordPositions() {
        for layer in layers { for (index, node) in layer.enumerated() { nodes[node].position = index } }
    }

    private func rank(_ link: AdjacentNodes.Link) -> Double {
        Double(nodes[link.node].position) + share(link.offset, of: link.node)
    }

    /// A place on a node, from −0.4 at the left to 0.4 at the right.
    private func share(_ offset: Double, of node: Int) -> Double {
        nodes[node].left > 0 ? min(0.4, max(-0.4, offset / (2.5 * nodes[node].left))) : 0
    }

    /// A node without neighbours keeps its place.
    private mutating func sort(_ layer: Int, _ neighbours: [[AdjacentNodes.Link]]) {
        let keys = layers[layer].enumerated().map { index, node -> (Double, Int) in
            let ranks = neighbours[node].map(rank)
            return (ranks.isEmpty ? Double(index) : ranks.reduce(0, +) / Double(ranks.count), index)
        }
        let order = keys.indices.sorted { keys[$0] < keys[$1] }
        layers[layer] = order.map { layers[layer][$0] }
        for (index, node) in layers[layer].enumerated() { nodes[node].position = index }
    }

    // MARK: Crossings

    private func crossings(_ below: [[AdjacentNodes.Link]]) -> Int {
        layers.reduce(0) { sum, layer in
            var ends = layer.flatMap { node in
                below[node].map { (own: share($0.ownOffset, of: node), end: rank($0)) }.sorted {
                    ($0.own, $0.end) < ($1.own, $1.end)
                }.map(\.end)
            }
            return sum + ends.sortCountingInversions()
        }
    }

    private mutating func swapNeighbours(_ neighbours: AdjacentNodes) {
        for _ in 0..<3 {
            var isBetter = false
            for layer in layers.indices { isBetter = swapNeighbours(in: layer, neighbours) || isBetter }
            if !isBetter { return }
        }
    }

    private mutating func swapNeighbours(in layer: Int, _ neighbours: AdjacentNodes) -> Bool {
        var isBetter = false
        for index in layers[layer].indices.dropLast() {
            let (left, right) = (layers[layer][index], layers[layer][index + 1])
            let now = pairs(left, right, neighbours.above) + pairs(left, right, neighbours.below)
            let then = pairs(right, left, neighbours.above) + pairs(right, left, neighbours.below)
            guard then < now else { continue }
            layers[layer].swapAt(index, index + 1)
            (nodes[left].position, nodes[right].position) = (index + 1, index)
            isBetter = true
        }
        return isBetter
    }

    /// The crossings of two nodes' links, if one stands left of the other.
    private func pairs(_ left: Int, _ right: Int, _ neighbours: [[AdjacentNodes.Link]]) -> Int {
        neighbours[left].reduce(0) { sum, end in
            let rank = rank(end)
            return sum + neighbours[right].count { self.rank($0) < rank }
        }
    }
}

/// By node: the next nodes above and below, on the ways of its edges.
struct AdjacentNodes {
    struct Link {
        let node: Int
        /// Where the link meets that node, and this one, from their middles.
        let offset: Double
        let ownOffset: Double
    }

    private(set) var above: [[Link]]
    private(set) var below: [[Link]]

    init(of graph: LocalGraph) {
        above = Array(repeating: [], count: graph.nodes.count)
        below = above
        for edge in graph.edges {
            for (upper, lower, start, end) in edge.steps {
                above[lower].append(Link(node: upper, offset: start, ownOffset: end))
                below[upper].append(Link(node: lower, offset: end, ownOffset: start))
            }
        }
    }
}

extension [Double] {
    /// By merging; a pair of equal elements is not an inversion.
    fileprivate mutating func sortCountingInversions() -> Int {
        guard count > 1 else { return 0 }
        var (left, right) = (Array(self[..<(count / 2)]), Array(self[(count / 2)...]))
        var inversions = left.sortCountingInversions() + right.sortCountingInversions()
        var (one, other) = (0, 0)
        for index in indices {
            if other == right.count || (one < left.count && left[one] <= right[other]) {
                self[index] = left[one]
                one += 1
            } else {
                self[index] = right[other]
                other += 1
                inversions += left.count - one
            }
        }
        return inversions
    }
}

// MARK: - Straight edges through several layers

extension LocalGraph {
    mutating func straighten() {
        for _ in 0..<3 {
            for number in edges.indices where edges[number].way.count > 2 { straighten(edges[number]) }
        }
    }

    /// Runs of bends and labels, each as long as one place across suits all of it.
    private mutating func straighten(_ edge: LocalEdge) {
        let start = nodes[edge.upper].x + (edge.upperOffset ?? 0)
        let end = nodes[edge.lower].x + (edge.lowerOffset ?? 0)
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
        let (layer, index) = (layers[nodes[node].layer], nodes[node].position)
        let low = index > 0 ? nodes[layer[index - 1]].x + distance(layer[index - 1], node) : -.infinity
        let high = index + 1 < layer.count ? nodes[layer[index + 1]].x - distance(node, layer[index + 1]) : .infinity
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

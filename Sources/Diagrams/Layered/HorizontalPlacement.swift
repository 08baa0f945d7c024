// Fifth step: how far to the right each node stands. A layer's nodes are drawn to their neighbours in other layers, as near as their order and
// their widths allow, which is found exactly by pooling; a few sweeps straighten what is long.

extension LocalGraph {
    mutating func placeAcross() {
        pack()
        let pulls = pulls()
        let sweeps = sweeps(24)
        for sweep in 0..<sweeps {
            let isDown = sweep.isMultiple(of: 2)
            for layer in isDown ? Array(layers.indices) : layers.indices.reversed() {
                placeLayer(layer, pulls, above: isDown || sweep >= sweeps / 2, below: !isDown || sweep >= sweeps / 2)
            }
        }
    }

    /// Another node that pulls one to it.
    private struct Pull {
        let other: Int
        /// How far right of the other's middle this one's middle would make the link straight.
        let offset: Double
        let weight: Double
    }

    private func pulls() -> (above: [[Pull]], below: [[Pull]]) {
        var (above, below) = ([[Pull]](repeating: [], count: nodes.count), [[Pull]](repeating: [], count: nodes.count))
        for edge in edges {
            for (place, (upper, lower)) in zip(edge.way, edge.way.dropFirst()).enumerated() {
                let start = place == 0 ? edge.upperOffset : 0
                let end = place == edge.way.count - 2 ? edge.lowerOffset : 0
                let weight = [1.0, 2, 8][(nodes[upper].isThin ? 1 : 0) + (nodes[lower].isThin ? 1 : 0)]
                above[lower].append(Pull(other: upper, offset: start - end, weight: weight))
                below[upper].append(Pull(other: lower, offset: end - start, weight: weight))
            }
        }
        return (above, below)
    }

    private mutating func pack() {
        for layer in layers {
            var x = 0.0
            for (place, node) in layer.enumerated() {
                if place > 0 { x += distance(layer[place - 1], node) }
                nodes[node].x = x
            }
            for node in layer { nodes[node].x -= x / 2 }
        }
    }

    /// How far apart the middles of two neighbours in a layer are at least.
    func distance(_ left: Int, _ right: Int) -> Double {
        let gap: Double =
            switch (nodes[left].isThin, nodes[right].isThin) {
            case (true, true): 12
            case (true, false), (false, true): 18
            case (false, false): nodes[left].isPort || nodes[right].isPort ? 16 : 30
            }
        return nodes[left].right + gap + nodes[right].left
    }

    private mutating func placeLayer(
        _ layer: Int, _ pulls: (above: [[Pull]], below: [[Pull]]), above: Bool, below: Bool
    ) {
        let row = layers[layer]
        var (wishes, weights, shifts) = ([Double](), [Double](), [Double]())
        var shift = 0.0
        for (place, node) in row.enumerated() {
            if place > 0 { shift += distance(row[place - 1], node) }
            let mine = (above ? pulls.above[node] : []) + (below ? pulls.below[node] : [])
            let weight = mine.reduce(0) { $0 + $1.weight }
            let wish = mine.reduce(0) { $0 + $1.weight * (nodes[$1.other].x + $1.offset) }
            shifts.append(shift)
            wishes.append((weight > 0 ? wish / weight : nodes[node].x) - shift)
            weights.append(weight > 0 ? weight : 0.05)
        }
        for (node, (place, shift)) in zip(row, zip(Self.pooled(wishes, weights), shifts)) { nodes[node].x = place + shift }
    }

    /// The rising numbers that are nearest to the wishes.
    private static func pooled(_ wishes: [Double], _ weights: [Double]) -> [Double] {
        var pools: [(value: Double, weight: Double, count: Int)] = []
        for (wish, weight) in zip(wishes, weights) {
            var pool = (value: wish, weight: weight, count: 1)
            while let last = pools.last, last.value > pool.value {
                pools.removeLast()
                let weight = last.weight + pool.weight
                pool = ((last.value * last.weight + pool.value * pool.weight) / weight, weight, last.count + pool.count)
            }
            pools.append(pool)
        }
        return pools.flatMap { Array(repeating: $0.value, count: $0.count) }
    }
}

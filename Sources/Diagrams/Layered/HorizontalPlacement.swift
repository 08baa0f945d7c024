// Fifth step: the horizontal place of each node. A layer's nodes are drawn to their neighbours in other layers, as near as their order and their
// widths allow, which is found exactly by pooling. A few sweeps straighten long edges.

extension LocalGraph {
    mutating func placeAcross() {
        pack()
        let neighbours = AdjacentNodes(of: self)
        let sweeps = sweeps(24)
        for sweep in 0..<sweeps {
            let isDown = sweep.isMultiple(of: 2)
            for layer in isDown ? Array(layers.indices) : layers.indices.reversed() {
                placeLayer(layer, neighbours, above: isDown || sweep >= sweeps / 2, below: !isDown || sweep >= sweeps / 2)
            }
        }
    }

    /// How strongly a node is drawn to a neighbour: long edges more than boxes.
    private func weight(_ node: Int, _ neighbour: Int) -> Double {
        switch (nodes[node].isThin, nodes[neighbour].isThin) {
        case (false, false): 1
        case (true, false), (false, true): 2
        case (true, true): 8
        }
    }

    private mutating func pack() {
        for layer in layers {
            var x = 0.0
            for (index, node) in layer.enumerated() {
                if index > 0 { x += distance(layer[index - 1], node) }
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

    private mutating func placeLayer(_ layer: Int, _ neighbours: AdjacentNodes, above: Bool, below: Bool) {
        let row = layers[layer]
        var (wishes, weights, shifts) = ([Double](), [Double](), [Double]())
        var shift = 0.0
        for (index, node) in row.enumerated() {
            if index > 0 { shift += distance(row[index - 1], node) }
            let links = (above ? neighbours.above[node] : []) + (below ? neighbours.below[node] : [])
            let weight = links.reduce(0) { $0 + self.weight(node, $1.node) }
            // Where the links would be straight.
            let wish = links.reduce(0) { $0 + self.weight(node, $1.node) * (nodes[$1.node].x + ($1.offset - $1.ownOffset)) }
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

    // MARK: Sixth step: how far down each layer stands

    /// Returns the height of all layers together.
    mutating func placeDown() -> Double {
        let slants = slants()
        // Nodes side by side without links begin at one height.
        var isLinked = [Bool](repeating: false, count: nodes.count)
        for edge in edges { for node in edge.way where !nodes[node].isPort { isLinked[node] = true } }
        var y = 0.0
        bands = []
        for (number, layer) in layers.enumerated() {
            let height = layer.map { nodes[$0].height }.max() ?? 0
            for node in layer { nodes[node].y = y + (isLinked[node] ? (height - nodes[node].height) / 2 : 0) }
            bands.append(y...y + height)
            y += height
            guard number + 1 < layers.count else { break }
            y += gap(number, slants[number])
        }
        return y
    }

    /// By layer: how far its links lead to the side at most, until the next.
    private func slants() -> [Double] {
        var slants = [Double](repeating: 0, count: layers.count)
        for edge in edges {
            for (upper, lower, start, end) in edge.steps {
                let slant = abs((nodes[lower].x + end) - (nodes[upper].x + start))
                slants[nodes[upper].layer] = max(slants[nodes[upper].layer], slant)
            }
        }
        return slants
    }

    private func gap(_ layer: Int, _ slant: Double) -> Double {
        let isByLabel = hasLabel(layer) || hasLabel(layer + 1)
        let straight = isByLabel ? 16.0 : 24
        return slant < 1 ? straight : max(straight + 8, min(64, 2 * Self.headroom + slant * 0.18))
    }

    private func hasLabel(_ layer: Int) -> Bool {
        layers[layer].contains { if case .label = nodes[$0].kind { true } else { false } }
    }

    // MARK: Ports of links at boxes and frames

    /// `port` is how far a link crosses a frame's border beside its middle; nil if it ends at the border.
    mutating func fixPorts(_ port: (_ link: Int, LocalNode.Kind) -> Double?) {
        for number in edges.indices {
            edges[number].upperOffset = port(edges[number].link, nodes[edges[number].upper].kind)
            edges[number].lowerOffset = port(edges[number].link, nodes[edges[number].lower].kind)
        }
    }

    mutating func attachEdges() {
        let (out, into) = incidence()
        for node in nodes.indices where !nodes[node].isThin && !nodes[node].isPort {
            let lower = out[node].sorted { key($0, edges[$0].way[1]) < key($1, edges[$1].way[1]) }
            let upper = into[node].sorted { key($0, edges[$0].beforeLast) < key($1, edges[$1].beforeLast) }
            let below = spread(lower.map { edges[$0].upperOffset }, node)
            let above = spread(upper.map { edges[$0].lowerOffset }, node)
            for (edge, offset) in zip(lower, below) { edges[edge].upperOffset = offset }
            for (edge, offset) in zip(upper, above) { edges[edge].lowerOffset = offset }
        }
    }

    private func key(_ edge: Int, _ neighbour: Int) -> (Int, Int) { (nodes[neighbour].position, edge) }

    /// Gives a place to nodes without one.
    private func spread(_ fixed: [Double?], _ node: Int) -> [Double] {
        guard fixed.contains(where: { $0 != nil }) else { return spread(fixed.count, node) }
        let (step, most) = (24.0, max(0, nodes[node].left - 12))
        var offsets = fixed
        for index in offsets.indices where fixed[index] == nil {
            if index > 0, let before = offsets[index - 1] { offsets[index] = min(before + step, most) }
        }
        for index in offsets.indices.reversed() where offsets[index] == nil {
            offsets[index] = max((offsets[index + 1] ?? 0) - step, -most)
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

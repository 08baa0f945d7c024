// Sixth step: how far down each layer stands. The farther links lead to the side, the more room they have for it.

extension LocalGraph {
    /// Returns the height of all layers together.
    mutating func placeDown() -> Double {
        let slants = slants()
        // What stands beside each other without links begins at one height.
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
            for (place, (upper, lower)) in zip(edge.way, edge.way.dropFirst()).enumerated() {
                let start = nodes[upper].x + (place == 0 ? edge.upperOffset : 0)
                let end = nodes[lower].x + (place == edge.way.count - 2 ? edge.lowerOffset : 0)
                slants[nodes[upper].layer] = max(slants[nodes[upper].layer], abs(end - start))
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
}

// Second step: each node gets a layer, so that every link leads downwards, and links are short.

extension LocalGraph {
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
        bottomPortsLast()
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

    /// Nodes without links stand in several rows, not in one endless row.
    private mutating func spreadLonelyNodes(_ out: [[Int]], _ into: [[Int]]) {
        let lonely = nodes.indices.filter { out[$0].isEmpty && into[$0].isEmpty }
        guard lonely.count > 4 else { return }
        let row = max(4, Int((2 * Double(lonely.count)).squareRoot()))
        for (place, node) in lonely.enumerated() { nodes[node].layer = place / row }
    }

    private mutating func bottomPortsLast() {
        let last = (nodes.map(\.layer).max() ?? 0)
        let ports = nodes.indices.filter { if case .port(_, isTop: false) = nodes[$0].kind { true } else { false } }
        let others = nodes.indices.filter { !Set(ports).contains($0) }.map { nodes[$0].layer }.max() ?? last
        for port in ports { nodes[port].layer = others + 1 }
    }
}

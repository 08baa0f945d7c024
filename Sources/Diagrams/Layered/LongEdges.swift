// Third step: a link that passes layers gets a bend in each of them, and its label stands in one.

extension LocalGraph {
    /// Throws if there would be too many.
    mutating func splitLongEdges(_ labels: (Int) -> Size, _ budget: inout Int) throws(DiagramError) {
        for number in edges.indices { try split(number, labels(edges[number].link), &budget) }
        layers = Array(repeating: [], count: (nodes.map(\.layer).max() ?? 0) + 1)
    }

    private mutating func split(_ number: Int, _ label: Size, _ budget: inout Int) throws(DiagramError) {
        let edge = edges[number]
        let between = (nodes[edge.upper].layer + 1)..<max(nodes[edge.lower].layer, nodes[edge.upper].layer + 1)
        budget -= between.count
        guard budget > 0 else {
            throw DiagramError(
                description: "its arrows are too long and too many for a picture; DIAGRAM draws it as DOT or MERMAID")
        }
        let labelled = label.width > 0 ? labelLayer(edge, between) : nil
        edges[number].way = [edge.upper] + between.map { addBend(edge, in: $0, $0 == labelled ? label : nil) } + [edge.lower]
    }

    /// Near the middle, or for what leads back near its beginning.
    private func labelLayer(_ edge: LocalEdge, _ between: Range<Int>) -> Int {
        between.lowerBound + (between.count - 1) / 2
    }

    private mutating func addBend(_ edge: LocalEdge, in layer: Int, _ label: Size?) -> Int {
        var node = LocalNode(kind: label == nil ? .bend : .label(link: edge.link))
        node.layer = layer
        node.order = nodes[edge.upper].order
        if let label { (node.left, node.right, node.height) = (3, label.width + 6, label.height) }
        nodes.append(node)
        return nodes.count - 1
    }
}

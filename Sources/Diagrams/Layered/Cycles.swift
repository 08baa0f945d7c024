// First step: links that lead back are turned around, so that no circle is left. What leads back is found by walking from where the frame
// begins, in document order, so that a flow reads downwards as it was written.

extension LocalGraph {
    mutating func removeCycles() {
        let (out, into) = incidence()
        var (isSeen, isOpen) = ([Bool](repeating: false, count: nodes.count), [Bool](repeating: false, count: nodes.count))
        var back: [Int] = []
        for start in walkOrder(into) where !isSeen[start] {
            walk(from: start, out, &isSeen, &isOpen, &back)
        }
        for number in back {
            edges[number].turn()
            reversed.insert(edges[number].link)
        }
    }

    /// Those that nothing leads to come first: dots, words and ports.
    private func walkOrder(_ into: [[Int]]) -> [Int] {
        let ordered = nodes.indices.sorted { (nodes[$0].order, $0) < (nodes[$1].order, $1) }
        return ordered.filter { into[$0].isEmpty } + ordered.filter { !into[$0].isEmpty }
    }

    private func walk(from start: Int, _ out: [[Int]], _ isSeen: inout [Bool], _ isOpen: inout [Bool], _ back: inout [Int]) {
        var path = [(node: start, next: 0)]
        (isSeen[start], isOpen[start]) = (true, true)
        while let (node, next) = path.last {
            guard next < out[node].count else {
                isOpen[node] = false
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            let edge = out[node][next]
            let target = edges[edge].lower
            if isOpen[target] { back.append(edge) }
            guard !isSeen[target] else { continue }
            (isSeen[target], isOpen[target]) = (true, true)
            path.append((target, 0))
        }
    }
}

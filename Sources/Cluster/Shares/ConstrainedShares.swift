// The plan where nodes have declined shards, since they lack flows. It looks at every shard, which is worth it while that lasts.

/// Begins with what everybody has, hands out what nobody has, and then moves shards along the shortest chains of nodes that make shares more even,
/// until there is none: from a node by way of others to one that has at least two fewer.
struct ConstrainedShares {
    private let takers: [Taker]
    /// What each taker would have.
    private var held: [[Int]]

    static func plan(_ input: PlanInput, _ takers: [Taker]) -> SharePlan {
        var shares = ConstrainedShares(input, takers)
        let orphans = shares.seat(input)
        shares.level()
        return shares.differences(input, orphans)
    }

    private init(_ input: PlanInput, _ takers: [Taker]) {
        self.takers = takers
        held = Array(repeating: [], count: takers.count)
    }

    /// Seats every shard at its owner, or where that one cannot have it, at whoever has least. What nobody can have is returned.
    private mutating func seat(_ input: PlanInput) -> Set<Int> {
        let places = Dictionary(uniqueKeysWithValues: takers.indices.map { (takers[$0].incarnation, $0) })
        let staying = Set(input.view.nodes.map(\.incarnation)).intersection(input.absent).subtracting(input.ending)
        var homeless: [Int] = []
        for shard in 0..<input.view.map.count {
            let owner = input.view.owner(ofShard: shard)
            if let place = owner.flatMap({ places[$0] }), takers[place].standing.allows(shard) {
                held[place].append(shard)
            } else if owner.map(staying.contains) != true {
                homeless.append(shard)
            }
        }
        return Set(homeless.filter { !seat($0) })
    }

    private mutating func seat(_ shard: Int) -> Bool {
        let able = takers.indices.filter { takers[$0].standing.allows(shard) }
        guard let place = able.min(by: { held[$0].count < held[$1].count }) else { return false }
        held[place].append(shard)
        return true
    }

    private mutating func level() {
        while let path = improvingPath() {
            for (from, to) in zip(path, path.dropFirst()) { move(from, to) }
        }
    }

    private mutating func move(_ from: Int, _ to: Int) {
        guard let index = movable(from, to) else { return }
        held[to].append(held[from].remove(at: index))
    }

    /// The last of one node's shards that another can have.
    private func movable(_ from: Int, _ to: Int) -> Int? {
        held[from].lastIndex { takers[to].standing.allows($0) }
    }

    private func improvingPath() -> [Int]? {
        let poorest = takers.indices.min { held[$0].count < held[$1].count }
        let richFirst = takers.indices.sorted { (held[$1].count, $0) < (held[$0].count, $1) }
        for from in richFirst {
            guard let poorest, held[poorest].count + 2 <= held[from].count else { return nil }
            if let path = path(from: from) { return path }
        }
        return nil
    }

    /// The shortest chain from a node to one that has at least two fewer (breadth first; among those as near, the poorest).
    private func path(from start: Int) -> [Int]? {
        var cameFrom: [Int: Int] = [start: start]
        var ring = [start]
        while !ring.isEmpty {
            var next: [Int] = []
            for node in ring {
                for other in takers.indices where cameFrom[other] == nil && movable(node, other) != nil {
                    cameFrom[other] = node
                    next.append(other)
                }
            }
            if let end = next.min(by: { held[$0].count < held[$1].count }), held[end].count + 2 <= held[start].count {
                return trace(end, cameFrom)
            }
            ring = next
        }
        return nil
    }

    private func trace(_ end: Int, _ cameFrom: [Int: Int]) -> [Int] {
        var path = [end]
        while let last = path.last, let before = cameFrom[last], before != last { path.append(before) }
        return path.reversed()
    }

    private func differences(_ input: PlanInput, _ orphans: Set<Int>) -> SharePlan {
        var taker: [Int: Incarnation] = [:]
        for place in takers.indices {
            for shard in held[place] { taker[shard] = takers[place].incarnation }
        }
        var plan = SharePlan()
        plan.gifts = input.mine.filter { taker[$0] != input.me }.map { Assignment(shard: $0, taker: taker[$0]) }
        plan.adoptions = input.adoptable.filter { !orphans.contains($0) }.map { Assignment(shard: $0, taker: taker[$0]) }
        return plan
    }
}

// The plan where nodes have declined shards, since they lack flows. It looks at every shard, which is worth it while that lasts.

/// Begins with what everybody has, hands out what nobody has, and then moves shards along the shortest chains of nodes that make shares more even,
/// until there is none: from a node by way of others to one that has at least two fewer.
struct ConstrainedShares {
    private let takers: [Taker]
    /// What each taker would have.
    private var held: [ShardSet] = []
    private var counts: [Int] = []
    /// Which taker a shard would be at, where that is not its owner.
    private var moved: [Int: Int] = [:]

    static func plan(_ input: PlanInput, _ takers: [Taker]) -> SharePlan {
        var shares = ConstrainedShares(takers: takers)
        shares.seatAll(input)
        shares.level()
        return shares.differences(input)
    }

    private init(takers: [Taker]) { self.takers = takers }

    /// Seats every shard at its owner, or where that one cannot have it, at whoever has least. What nobody can have has no seat.
    private mutating func seatAll(_ input: PlanInput) {
        var homeless = input.view.free
        for taker in takers {
            let part = input.view.parts[taker.incarnation] ?? ShardSet()
            held.append(part.subtracting(taker.declined))
            homeless.formUnion(part.intersection(taker.declined))
        }
        for (owner, part) in input.view.parts where place(of: owner) == nil && !input.absent.contains(owner) {
            homeless.formUnion(part)
        }
        counts = held.map(\.count)
        for shard in homeless {
            let able = takers.indices.lazy.filter { [takers] in !takers[$0].declined.contains(shard) }
            if let place = able.min(by: { counts[$0] < counts[$1] }) { seat(shard, at: place) }
        }
    }

    private mutating func seat(_ shard: Int, at place: Int) {
        held[place].insert(shard)
        counts[place] += 1
        moved[shard] = place
    }

    private func place(of node: Incarnation) -> Int? {
        var (low, high) = (0, takers.count)
        while low < high {
            let middle = (low + high) / 2
            if takers[middle].incarnation < node { low = middle + 1 } else { high = middle }
        }
        return low < takers.count && takers[low].incarnation == node ? low : nil
    }

    /// The poorest are given first. To whom no chain leads now, none will later.
    private mutating func level() {
        var open = Array(takers.indices)
        while let most = counts.max(), let poorest = open.min(by: { counts[$0] < counts[$1] }), counts[poorest] + 2 <= most {
            guard let path = path(to: poorest) else {
                open.removeAll { $0 == poorest }
                continue
            }
            for (from, to) in zip(path, path.dropFirst()) { move(from, to) }
        }
    }

    private mutating func move(_ from: Int, _ to: Int) {
        guard let shard = held[from].last(notIn: takers[to].declined) else { return }
        held[from].remove(shard)
        counts[from] -= 1
        seat(shard, at: to)
    }

    private func canGive(_ from: Int, _ to: Int) -> Bool {
        held[from].last(notIn: takers[to].declined) != nil
    }

    /// The shortest chain to a node from one that has at least two more; among those as near, the richest.
    private func path(to end: Int) -> [Int]? {
        var start: Int?
        for other in takers.indices where counts[other] >= counts[end] + 2 && counts[other] > start.map({ counts[$0] }) ?? 0 {
            if canGive(other, end) { start = other }
        }
        return start.map { [$0, end] } ?? chain(to: end)
    }

    private func chain(to end: Int) -> [Int]? {
        var goesTo: [Int?] = Array(repeating: nil, count: takers.count)
        goesTo[end] = end
        var ring = [end]
        while !ring.isEmpty {
            var next: [Int] = []
            for node in ring {
                for other in takers.indices where goesTo[other] == nil && canGive(other, node) {
                    goesTo[other] = node
                    next.append(other)
                }
            }
            if let start = next.max(by: { (counts[$0], $1) < (counts[$1], $0) }), counts[end] + 2 <= counts[start] {
                return trace(from: start, goesTo)
            }
            ring = next
        }
        return nil
    }

    private func trace(from start: Int, _ goesTo: [Int?]) -> [Int] {
        var path = [start]
        while let last = path.last, let next = goesTo[last], next != last { path.append(next) }
        return path
    }

    private func differences(_ input: PlanInput) -> SharePlan {
        var plan = SharePlan()
        plan.gifts = input.mine().compactMap { shard in
            let taker = seat(of: shard, input.view).map { takers[$0].incarnation }
            return taker == input.me ? nil : Assignment(shard: shard, taker: taker)
        }
        plan.adoptions = input.adoptable.compactMap { shard in
            moved[shard].map { Assignment(shard: shard, taker: takers[$0].incarnation) }
        }
        return plan
    }

    private func seat(of shard: Int, _ view: ClusterView) -> Int? {
        if let place = moved[shard] { return place }
        guard let place = view.owner(ofShard: shard).flatMap(place(of:)), held[place].contains(shard) else { return nil }
        return place
    }
}

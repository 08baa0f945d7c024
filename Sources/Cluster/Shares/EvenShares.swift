// The plan where everybody can have every shard. Numbers decide: no list of all shards is looked at.

/// All that is to be handed out stands in one row: shards without owner first, then what each node has too many of, in order of incarnation. The nodes
/// that have too few take their parts of the row from its beginning, in order of incarnation, too.
enum EvenShares {
    static func plan(_ input: PlanInput, _ takers: [Taker]) -> SharePlan {
        guard !takers.isEmpty else { return SharePlan(gifts: giveUp(input), adoptions: []) }
        let adoptable = input.adoptable
        let row = Row(input, takers, adoptable: adoptable.count)
        var plan = SharePlan()
        if !row.mine.isEmpty {
            plan.gifts = zip(input.mine(), row.mine).map { shard, place in Assignment(shard: shard, taker: row.taker(at: place))
            }
        }
        plan.adoptions = adoptable.indices.map { Assignment(shard: adoptable[$0], taker: row.taker(at: $0)) }
        return plan
    }

    /// Who leaves as the last gives to nobody.
    private static func giveUp(_ input: PlanInput) -> [Assignment] {
        input.standing.isLeaving ? input.mine().map { Assignment(shard: $0, taker: nil) } : []
    }
}

/// The row, by its lengths.
private struct Row {
    /// Where the parts of the takers end, and whose they are.
    private var parts: [(end: Int, taker: Incarnation)] = []
    /// The places of what the planner gives.
    private(set) var mine: Range<Int> = 0..<0

    init(_ input: PlanInput, _ takers: [Taker], adoptable: Int) {
        let leavers = input.leavers.map { (node: $0, surplus: input.view.count(of: $0)) }
        let counts = takers.map { input.view.count(of: $0.incarnation) }
        let quotas = Self.quotas(counts, total: counts.reduce(adoptable, +) + leavers.reduce(0) { $0 + $1.surplus })
        var end = 0
        for (taker, (count, quota)) in zip(takers, zip(counts, quotas)) where quota > count {
            end += quota - count
            parts.append((end, taker.incarnation))
        }
        let stayers = zip(takers, zip(counts, quotas)).map { (node: $0.incarnation, surplus: max(0, $1.0 - $1.1)) }
        var place = adoptable
        for (node, surplus) in (leavers + stayers).sorted(by: { $0.node < $1.node }) {
            if node == input.me { mine = place..<place + surplus }
            place += surplus
        }
    }

    /// Each has its part of the whole. What remains goes by ones to those who have more than that already, then by order of incarnation.
    private static func quotas(_ counts: [Int], total: Int) -> [Int] {
        let (part, rest) = total.quotientAndRemainder(dividingBy: counts.count)
        var quotas = Array(repeating: part, count: counts.count)
        let richFirst = counts.indices.filter { counts[$0] > part } + counts.indices.filter { counts[$0] <= part }
        for place in richFirst.prefix(rest) { quotas[place] += 1 }
        return quotas
    }

    func taker(at place: Int) -> Incarnation? {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].end <= place { low = middle + 1 } else { high = middle }
        }
        return low < parts.count ? parts[low].taker : nil
    }
}

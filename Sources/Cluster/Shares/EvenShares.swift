// The plan where each node can have every shard. It works with counts alone, and never walks a list of all shards.

/// All shards to hand out form one row: shards without owner first, then the surplus of each node, in order of incarnation. Nodes that have too few
/// take their parts of the row from its beginning, in order of incarnation, too.
enum EvenShares {
    static func plan(_ input: PlanInput) -> SharePlan {
        guard !input.takers.isEmpty else {
            // The last node to leave has no takers.
            return SharePlan(gifts: input.ground.standing.isLeaving ? .all : .any([]))
        }
        let adoptable = input.adoptable
        let row = Row(input, adoptable: adoptable.count)
        return SharePlan(
            gifts: .any(row.mine.compactMap(row.taker)),
            adoptions: adoptable.enumerated().map { Assignment(shard: $1, taker: row.taker(at: $0)) })
    }
}

/// The row, by its lengths.
private struct Row {
    /// Where the parts of the takers end, and the taker of each part.
    private var parts: [(end: Int, taker: Incarnation)] = []
    /// The places of what the planner gives.
    private(set) var mine: Range<Int> = 0..<0

    init(_ input: PlanInput, adoptable: Int) {
        let view = input.view
        let counts = input.takers.map { view.parts[$0].count }
        let leaving = input.leavers.reduce(0) { $0 + view.parts[$1].count }
        let quotas = Self.quotas(counts, total: counts.reduce(adoptable + leaving, +))
        var surplus = Array(repeating: 0, count: view.nodes.count)
        for node in input.leavers { surplus[node] = view.parts[node].count }
        var end = 0
        for (place, node) in input.takers.enumerated() {
            let missing = quotas[place] - counts[place]
            surplus[node] = max(0, -missing)
            guard missing > 0 else { continue }
            end += missing
            parts.append((end, view.incarnations[node]))
        }
        guard let me = view.incarnations.place(of: input.ground.me) else { return }
        let first = surplus[..<me].reduce(adoptable, +)
        mine = first..<first + surplus[me]
    }

    /// Each node has an equal part. The remainder goes one by one to nodes that have more than that already, then by order of incarnation.
    private static func quotas(_ counts: [Int], total: Int) -> [Int] {
        var (part, rest) = total.quotientAndRemainder(dividingBy: counts.count)
        var quotas = Array(repeating: part, count: counts.count)
        for isRich in [true, false] {
            for place in counts.indices where rest > 0 && (counts[place] > part) == isRich {
                quotas[place] += 1
                rest -= 1
            }
        }
        return quotas
    }

    func taker(at place: Int) -> Incarnation? {
        let part = parts.firstPlace { $0.end > place }
        return part < parts.count ? parts[part].taker : nil
    }
}

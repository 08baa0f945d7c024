// The plan where nodes have declined shards, since they lack flows, or leave shards to nodes with better fitting definitions. It looks at every
// shard, which is worth it while that lasts.

/// Begins with the nodes' current shards, and hands out those without a keeper. Then it moves shards along the shortest chains of nodes that make
/// shares more even, until no such chain is left: from a node by way of others to one that has at least two fewer.
struct ConstrainedShares {
    /// Nodes that may be given shards, and the shards that each of them cannot have.
    private let takers: [Incarnation]
    private let declined: [ShardSet]
    /// The shards that each would have.
    private var held: [ShardSet]
    private var counts: [Int]
    /// Which taker a shard would be at that is not at its owner; -1 for the others.
    private var seats: [Int32]

    static func plan(_ input: PlanInput) -> SharePlan {
        var shares = ConstrainedShares(input)
        var poorest = LeastLoaded(among: shares.takers.count)
        shares.seatAll(input, &poorest)
        shares.level(&poorest)
        return shares.differences(input)
    }

    private init(_ input: PlanInput) {
        takers = input.takers.map { input.view.incarnations[$0] }
        declined = input.takers.map(input.declined)
        held = zip(input.takers, declined).map { input.view.parts[$0].subtracting($1) }
        counts = held.map(\.count)
        seats = Array(repeating: -1, count: input.view.map.count)
    }

    /// Seats every shard that its owner does not keep, at the node with the fewest shards. A shard that no node can have gets no seat.
    private mutating func seatAll(_ input: PlanInput, _ poorest: inout LeastLoaded) {
        var homeless = input.adoptable
        for leaver in input.leavers { homeless.formUnion(input.view.parts[leaver]) }
        for (taker, declined) in zip(input.takers, declined) {
            homeless.formUnion(input.view.parts[taker].intersection(declined))
        }
        for shard in homeless {
            if let index = poorest.index(in: counts), !declined[index].contains(shard) {
                seat(shard, at: index)
            } else if let index = able(shard).min(by: { counts[$0] < counts[$1] }) {
                seat(shard, at: index)
            }
        }
    }

    private func able(_ shard: Int) -> [Int] {
        takers.indices.filter { !declined[$0].contains(shard) }
    }

    private mutating func seat(_ shard: Int, at index: Int) {
        held[index].insert(shard)
        counts[index] += 1
        seats[shard] = Int32(truncatingIfNeeded: index)
    }

    /// Gives to the nodes with the fewest shards first. A node without a chain to it now will not get one later.
    private mutating func level(_ poorest: inout LeastLoaded) {
        var richest = MostLoaded()
        while let end = poorest.index(in: counts), let start = richest.index(in: counts), counts[end] + 2 <= counts[start] {
            if declined[end].isEmpty {
                move(start, end)
            } else if let path = path(to: end) {
                for (from, to) in zip(path, path.dropFirst()) { move(from, to) }
            } else {
                poorest.leaveOut(end)
            }
        }
    }

    private mutating func move(_ from: Int, _ to: Int) {
        guard let shard = held[from].last(notIn: declined[to]) else { return }
        held[from].remove(shard)
        counts[from] -= 1
        seat(shard, at: to)
    }

    private func canGive(_ from: Int, _ to: Int) -> Bool {
        declined[to].isEmpty ? counts[from] > 0 : held[from].last(notIn: declined[to]) != nil
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
        let me = input.context.me
        let mine = input.view.incarnations.sortedIndex(of: me).map { input.view.parts[$0] } ?? ShardSet()
        let kept = takers.sortedIndex(of: me).map { held[$0] } ?? ShardSet()
        return SharePlan(
            handovers: .these(Dictionary(uniqueKeysWithValues: mine.subtracting(kept).map { ($0, taker(of: $0)) })),
            adoptions: input.adoptable.filter { seats[$0] >= 0 }.map { Assignment(shard: $0, taker: taker(of: $0)) })
    }

    private func taker(of shard: Int) -> Incarnation? {
        seats[shard] < 0 ? nil : takers[Int(seats[shard])]
    }
}

// MARK: - The nodes with the fewest and the most shards, while shares even out

/// The first taker with the fewest shards. Requires that the minimum never falls.
struct LeastLoaded {
    private var isLeftOut: [Bool]
    private var minimum = Int.min
    private var index = 0

    init(among takers: Int) {
        isLeftOut = Array(repeating: false, count: takers)
    }

    mutating func leaveOut(_ index: Int) { isLeftOut[index] = true }

    /// Nil where all are left out.
    mutating func index(in counts: [Int]) -> Int? {
        while index < counts.count {
            if counts[index] <= minimum, !isLeftOut[index] { return index }
            index += 1
        }
        let open = counts.indices.filter { !isLeftOut[$0] }
        guard let next = open.min(by: { counts[$0] < counts[$1] }) else { return nil }
        (minimum, index) = (counts[next], next)
        return next
    }
}

/// The first taker with the most shards. Requires that the maximum never rises.
struct MostLoaded {
    private var maximum = Int.max
    private var index = 0

    mutating func index(in counts: [Int]) -> Int? {
        while index < counts.count {
            if counts[index] >= maximum { return index }
            index += 1
        }
        guard let most = counts.max() else { return nil }
        maximum = most
        index = counts.firstIndex(of: most) ?? 0
        return index
    }
}

// MARK: - The result of a plan for one node

package struct SharePlan: Equatable, Sendable {
    /// Which of its shards others should have.
    package enum Handovers: Equatable, Sendable {
        /// One shard for each of these takers, in the order in which this node offers them.
        case any([Incarnation])
        /// These shards, by taker; nil for a shard that no node can have.
        case these([Int: Incarnation?])
        /// All, without takers: the node leaves as the last one.
        case all
    }

    package var handovers = Handovers.any([])
    /// The shards without owner, and those of the nodes that are to end, with their takers. Shards that no node can have are left out.
    package var adoptions: [Assignment] = []

    package var hasHandovers: Bool { handovers != .any([]) && handovers != .these([:]) }

    /// The handovers in the order in which shards are offered.
    package func handovers(of offered: [Int]) -> [Assignment] {
        switch handovers {
        case .any(let takers): zip(offered, takers).map { Assignment(shard: $0, taker: $1) }
        case .these(let takers): offered.compactMap { shard in takers[shard].map { Assignment(shard: shard, taker: $0) } }
        case .all: offered.map { Assignment(shard: $0, taker: nil) }
        }
    }
}

package struct Assignment: Equatable, Sendable {
    package let shard: Int
    package let taker: Incarnation?
}

extension SharePlan {
    /// Shares differ by at most one among the nodes that are there, with as few moves as that takes. Where nodes have declined shards, they are as
    /// even as any sequence of moves could make them.
    package static func make(_ view: ClusterView, _ context: PlanContext) -> SharePlan {
        let input = PlanInput(view, context)
        let isEven = context.standing.declined.isEmpty && input.takers.allSatisfy { input.declined(by: $0).isEmpty }
        return isEven ? EvenShares.plan(input) : ConstrainedShares.plan(input)
    }
}

// MARK: - The plan where each node can have every shard. It works with counts alone, and never walks a list of all shards.

/// All shards to hand out form one row: shards without owner first, then the surplus of each node, in order of incarnation. Nodes that have too few
/// take their parts of the row from its beginning, in order of incarnation, too.
enum EvenShares {
    static func plan(_ input: PlanInput) -> SharePlan {
        guard !input.takers.isEmpty else {
            // The last node to leave has no takers.
            return SharePlan(handovers: input.context.standing.isLeaving ? .all : .any([]))
        }
        let adoptable = input.adoptable
        let row = Row(input, adoptable: adoptable.count)
        return SharePlan(
            handovers: .any(row.mine.compactMap(row.taker)),
            adoptions: adoptable.enumerated().map { Assignment(shard: $1, taker: row.taker(at: $0)) })
    }
}

/// The row, by its lengths.
private struct Row {
    /// Where the parts of the takers end, and the taker of each part.
    private var parts: [(end: Int, taker: Incarnation)] = []
    /// The indices of what the planner gives.
    private(set) var mine: Range<Int> = 0..<0

    init(_ input: PlanInput, adoptable: Int) {
        let view = input.view
        let counts = input.takers.map { view.parts[$0].count }
        let leaving = input.leavers.reduce(0) { $0 + view.parts[$1].count }
        let quotas = Self.quotas(counts, total: counts.reduce(adoptable + leaving, +))
        var surplus = Array(repeating: 0, count: view.nodes.count)
        for node in input.leavers { surplus[node] = view.parts[node].count }
        var end = 0
        for (index, node) in input.takers.enumerated() {
            let missing = quotas[index] - counts[index]
            surplus[node] = max(0, -missing)
            guard missing > 0 else { continue }
            end += missing
            parts.append((end, view.incarnations[node]))
        }
        guard let me = view.incarnations.sortedIndex(of: input.context.me) else { return }
        let first = surplus[..<me].reduce(adoptable, +)
        mine = first..<first + surplus[me]
    }

    /// Each node has an equal part. The remainder goes one by one to nodes that have more than that already, then by order of incarnation.
    private static func quotas(_ counts: [Int], total: Int) -> [Int] {
        var (part, rest) = total.quotientAndRemainder(dividingBy: counts.count)
        var quotas = Array(repeating: part, count: counts.count)
        for isRich in [true, false] {
            for index in counts.indices where rest > 0 && (counts[index] > part) == isRich {
                quotas[index] += 1
                rest -= 1
            }
        }
        return quotas
    }

    func taker(at index: Int) -> Incarnation? {
        let part = parts.partitionIndex { $0.end > index }
        return part < parts.count ? parts[part].taker : nil
    }
}

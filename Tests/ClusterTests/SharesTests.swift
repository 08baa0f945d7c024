import Seeds
import Testing

@testable import Cluster

@Suite struct `The shares of nodes` {
    /// Each shard's owner once all nodes have executed their plans for the same view.
    private func outcome(_ view: ClusterView, ending: Set<Incarnation> = []) -> [Int] {
        var owners = (0..<view.map.count).map { view.owner(ofShard: $0).map { Int($0.number) } ?? 0 }
        var adoptions: Set<[Int]> = []
        for node in view.nodes where !ending.contains(node.incarnation) {
            let mine = (0..<view.map.count).filter { view.owner(ofShard: $0) == node.incarnation }
            let plan = SharePlan.make(
                view, PlanContext(me: node.incarnation, standing: node.standing, absent: [], ending: ending))
            for handover in plan.handovers(of: mine) { owners[handover.shard] = handover.taker.map { Int($0.number) } ?? 0 }
            adoptions.insert(plan.adoptions.flatMap { [$0.shard, $0.taker.map { Int($0.number) } ?? 0] })
        }
        #expect(adoptions.count <= 1, "all nodes compute the same plan")
        for (shard, taker) in adoptions.first.map(pairs) ?? [] { owners[shard] = taker }
        return owners
    }

    private func pairs(_ numbers: [Int]) -> [(Int, Int)] {
        stride(from: 0, to: numbers.count, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
    }

    private func counts(_ owners: [Int]) -> [Int: Int] {
        owners.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    @Test func `Nodes share the shards without owner in contiguous parts`() {
        let after = outcome(view([record(1), record(2), record(3)], Array(repeating: 0, count: 8)))
        #expect(after == [1, 1, 1, 2, 2, 2, 3, 3])
    }

    @Test func `A node that joins gets its share, and no other shard moves`() {
        let before = [1, 1, 1, 1, 2, 2, 2, 2]
        let after = outcome(view([record(1), record(2), record(3)], before))
        #expect(counts(after) == [1: 3, 2: 3, 3: 2])
        #expect(zip(before, after).count { $0 != $1 } == 2)
    }

    @Test func `Shares that are even stay as they are`() {
        let owners = [1, 2, 3, 1, 2, 3, 3]
        #expect(outcome(view([record(1), record(2), record(3)], owners)) == owners)
    }

    @Test func `A leaving node's shards are assigned to the other nodes in equal parts`() {
        let after = outcome(view([record(1, isLeaving: true), record(2), record(3)], [1, 1, 1, 1, 2, 2, 3, 3]))
        #expect(counts(after) == [2: 4, 3: 4])
    }

    @Test func `A dead node's shards are assigned to the other nodes in equal parts`() {
        let after = outcome(view([record(1), record(2), record(3)], [1, 1, 1, 1, 2, 2, 3, 3]), ending: [Incarnation(1)])
        #expect(counts(after) == [2: 4, 3: 4])
    }

    @Test func `The shards of the last node that leaves are assigned to no node`() {
        #expect(outcome(view([record(1, isLeaving: true)], [1, 1])) == [0, 0])
    }

    @Test func `A node that declined a shard is not assigned it, and releases it if it owns it`() {
        let view = view([record(1, declined: [0: ["quiz"], 1: ["quiz"]]), record(2)], [1, 2, 0, 0])
        #expect(counts(outcome(view)) == [1: 2, 2: 2])
        #expect(outcome(view).prefix(2) == [2, 2])
    }

    @Test func `A shard that all nodes declined has no owner, and the reason names the missing flows`() {
        let view = view([record(1, declined: [0: ["quiz"]]), record(2, declined: [0: ["escape", "quiz"]])], [0, 1, 2])
        #expect(outcome(view) == [0, 1, 2])
        #expect(view.unownedReason(of: 0) == .flowsMissing(["escape", "quiz"]))
        #expect(view.unownedReason(of: 1) == nil)
    }

    @Test func `A shard without owner is reported as soon owned if any node stays`() {
        #expect(view([record(1), record(2, isLeaving: true)], [0, 2]).unownedReason(of: 0) == .soonTaken)
        #expect(view([record(2, isLeaving: true)], [0, 2]).unownedReason(of: 0) == .nobodyThere)
    }

    /// Node 1 can only own shards 0 and 1, which node 2 owns. Node 3 owns the most, and can only give to node 2.
    @Test func `Shares become even by moves through a third node`() {
        let onlyFirst = Dictionary(uniqueKeysWithValues: (2..<8).map { ($0, ["quiz"]) })
        let after = outcome(view([record(1, declined: onlyFirst), record(2), record(3)], [2, 2, 3, 3, 3, 3, 3, 3]))
        #expect(counts(after) == [1: 2, 2: 3, 3: 3])
    }

    /// An oracle that is independent of the algorithm: no shard could move to a node that owns at least two fewer.
    @Test func `Shares of random clusters become even, with no more moves than that takes`() {
        var random = SeededGenerator.announced("shares", seed: 20)
        for _ in 0..<400 { tryRandomCluster(&random) }
    }

    private func tryRandomCluster(_ random: inout SeededGenerator) {
        let shards = Int.random(in: 1...60, using: &random)
        let number = Int.random(in: 1...8, using: &random)
        let isEven = Bool.random(using: &random)
        let nodes = (1...number).map { record($0, declined: isEven ? [:] : declines(shards, &random)) }
        let owners = (0..<shards).map { _ in Int.random(in: 0...number, using: &random) }
        let after = outcome(view(nodes, owners))
        let counts = counts(after)
        for (shard, owner) in after.enumerated() {
            let able = nodes.filter { $0.standing.allows(shard) }.map { Int($0.incarnation.number) }
            #expect(able.isEmpty ? owner == 0 : able.contains(owner))
            for other in able { #expect(counts[other] ?? 0 >= (counts[owner] ?? 0) - 1) }
        }
        if isEven { #expect(zip(owners, after).count { $0 != $1 } == fewestMoves(owners, number)) }
    }

    private func declines(_ shards: Int, _ random: inout SeededGenerator) -> [Int: [String]] {
        guard Bool.random(using: &random) else { return [:] }
        let declined = (0..<shards).filter { _ in Int.random(in: 0...2, using: &random) == 0 }
        return Dictionary(uniqueKeysWithValues: declined.map { ($0, ["quiz"]) })
    }

    /// The shards without owner, and each node's surplus above its share. For each remaining shard, one node may keep one more.
    private func fewestMoves(_ owners: [Int], _ nodes: Int) -> Int {
        let held = (1...nodes).map { node in owners.count { $0 == node } }
        let (part, rest) = owners.count.quotientAndRemainder(dividingBy: nodes)
        let surplus = held.reduce(0) { $0 + max(0, $1 - part) }
        return owners.count { $0 == 0 } + surplus - min(rest, held.count { $0 > part })
    }
}

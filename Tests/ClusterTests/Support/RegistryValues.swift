// A cluster as one of its nodes sees it, without a registry: the test is the registry.

import Cluster
import Seeds
import Timers

extension Member {
    func handle(_ event: MemberEvent, at now: Instant) -> [MemberAction] { handle([event], at: now) }
}

func nodeID(_ number: Int) -> NodeID {
    var random = SeededGenerator(seed: UInt64(number))
    return NodeID(random: &random)
}

func record(_ number: Int, declined: [Int: [String]] = [:], isLeaving: Bool = false, hasEnded: Bool = false) -> NodeRecord {
    NodeRecord(
        id: nodeID(number), incarnation: Incarnation(Int64(number)), address: NodeAddress(host: "node-\(number)", port: 7654),
        standing: NodeStatus(isLeaving: isLeaving, declined: declined), hasEnded: hasEnded)
}

/// The time is invalid, so that the node's clock ignores it.
func update(
    _ version: Int64, nodes: [NodeRecord] = [], shards: [ShardRecord] = [], lapsing: [LapsingLease] = [], rewinds: Int64 = 0,
    renewals: Int64? = nil
) -> RegistryUpdate {
    RegistryUpdate(
        time: RegistryTime(microseconds: -1), version: version, nodes: nodes, shards: shards, lapsing: lapsing,
        rewinds: rewinds, renewals: renewals)
}

/// The owners of shards 0, 1, 2…, 0 for none, each with epoch 1.
func owned(_ owners: [Int]) -> [ShardRecord] {
    owners.enumerated().map { shard, owner in
        ShardRecord(shard: shard, owner: owner == 0 ? nil : Incarnation(Int64(owner)), epoch: 1)
    }
}

func view(_ nodes: [NodeRecord], _ owners: [Int]) -> ClusterView {
    var view = ClusterView(map: ShardMap(count: owners.count) ?? .usual)
    view.apply(update(1, nodes: nodes, shards: owned(owners)))
    return view
}

func instant(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
}

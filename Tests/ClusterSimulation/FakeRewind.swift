// The registry in memory goes back in time, as PostgreSQL does in a failover that loses commits.

import Cluster
import Timers

extension FakeRegistry {
    /// The registry's state on a replica.
    struct Copy {
        fileprivate let version: Int64
        fileprivate let rewinds: Int64
        fileprivate let owners: [Incarnation?]
        let epochs: [Int64]
        fileprivate let nodes: [Node]
        fileprivate let dead: [Incarnation]
        fileprivate let attempts: [NodeID: Int]
        fileprivate let shardChanges: [(version: Int64, shard: Int)]
        fileprivate let nodeChanges: [(version: Int64, node: Incarnation)]
    }

    func copy() -> Copy {
        Copy(
            version: version, rewinds: rewinds, owners: owners, epochs: epochs, nodes: everybody.values.map { Node($0) },
            dead: dead.map(\.incarnation), attempts: attempts, shardChanges: shardChanges,
            nodeChanges: nodeChanges.map { ($0.version, $0.node.incarnation) })
    }

    func goBack(to copy: Copy) {
        (version, rewinds, owners, epochs) = (copy.version, copy.rewinds, copy.owners, copy.epochs)
        everybody = Dictionary(uniqueKeysWithValues: copy.nodes.map { ($0.incarnation, Node($0)) })
        living = everybody.values.filter { !$0.hasEnded }.sorted { $0.incarnation < $1.incarnation }
        dead = copy.dead.compactMap { everybody[$0] }
        (attempts, shardChanges) = (copy.attempts, copy.shardChanges)
        nodeChanges = copy.nodeChanges.compactMap { change in everybody[change.node].map { (change.version, $0) } }
        gainers = []
    }

    /// See `Renewal`.
    func raise(_ remembered: Remembered, _ now: Int64) {
        let isFirst = rewinds <= remembered.rewinds
        let next = isFirst ? max(version, remembered.version) + Remembered.jump + 1 : version + 1
        if isFirst { (version, rewinds) = (next, remembered.rewinds + 1) }
        for record in remembered.nodes { restore(record, next, now) }
        let raised = Remembered.jump * (rewinds - remembered.rewinds)
        for shard in epochs.indices {
            let known = isFirst ? epochs[shard] : epochs[shard] - raised
            let isNewer = known < remembered.epochs[shard] || known == remembered.epochs[shard] && owners[shard] == nil
            guard isFirst || isNewer else { continue }
            if isNewer {
                let owner = remembered.owners[shard].flatMap { everybody[$0] }
                owners[shard] = owner?.hasEnded == false ? owner?.incarnation : nil
            }
            let epoch = isFirst ? max(epochs[shard], remembered.epochs[shard]) : remembered.epochs[shard]
            epochs[shard] = epoch + raised
            shardChanges.append((next, shard))
            version = next
        }
        freeOrphans(next)
    }

    private func restore(_ record: NodeRecord, _ next: Int64, _ now: Int64) {
        for node in living where node.incarnation < record.incarnation && (node.id == record.id || node.isAt(record.address)) {
            end(node, .ranOut, next, now)
        }
        guard everybody[record.incarnation] == nil, !living.contains(where: { $0.isAt(record.address) }) else { return }
        let node = Node(record, leaseUntil: clock.reading(now) + lease)
        everybody[node.incarnation] = node
        living = (living + [node]).sorted { $0.incarnation < $1.incarnation }
        changed(node, next)
    }
}

extension FakeRegistry.Node {
    fileprivate func isAt(_ address: NodeAddress) -> Bool { address.port != 0 && self.address == address }
}

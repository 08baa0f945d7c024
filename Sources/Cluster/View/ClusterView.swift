// The cluster as one node has last seen it: who is there, and who owns what. Everybody who has seen the same version sees the same.

package struct ClusterView: Sendable {
    package let map: ShardMap
    /// The registry's version that this is; 0 before anything has been seen.
    package private(set) var version: Int64 = 0
    /// The nodes that have not ended, in order of incarnation.
    package private(set) var nodes: [NodeRecord] = []
    /// Shards without owner.
    package private(set) var free = ShardSet()
    private var owners: [Incarnation?]
    private var epochs: [Int64]
    /// The shards of each owner.
    package private(set) var parts: [Incarnation: ShardSet] = [:]

    package init(map: ShardMap) {
        self.map = map
        for shard in 0..<map.count { free.insert(shard) }
        owners = Array(repeating: nil, count: map.count)
        epochs = Array(repeating: 0, count: map.count)
    }

    package func owner(ofShard shard: Int) -> Incarnation? { owners[shard] }

    package func epoch(ofShard shard: Int) -> Int64 { epochs[shard] }

    /// By shard.
    package var allOwners: [Incarnation?] { owners }
    package var allEpochs: [Int64] { epochs }

    /// How many shards a node has.
    package func count(of node: Incarnation) -> Int { parts[node]?.count ?? 0 }

    package func node(_ incarnation: Incarnation) -> NodeRecord? {
        let place = place(of: incarnation)
        guard place < nodes.count, nodes[place].incarnation == incarnation else { return nil }
        return nodes[place]
    }

    package mutating func apply(_ news: News) {
        version = news.version
        for shard in news.shards { apply(shard) }
        for node in news.nodes { apply(node) }
    }

    private mutating func apply(_ record: ShardRecord) {
        guard owners.indices.contains(record.shard) else { return }
        if record.owner != owners[record.shard] { move(record.shard, to: record.owner) }
        owners[record.shard] = record.owner
        epochs[record.shard] = record.epoch
    }

    private mutating func move(_ shard: Int, to owner: Incarnation?) {
        if let former = owners[shard] { parts[former]?.remove(shard) } else { free.remove(shard) }
        if let owner { parts[owner, default: ShardSet()].insert(shard) } else { free.insert(shard) }
    }

    private mutating func apply(_ record: NodeRecord) {
        let place = place(of: record.incarnation)
        if place < nodes.count, nodes[place].incarnation == record.incarnation { nodes.remove(at: place) }
        if record.hasEnded {
            parts[record.incarnation] = nil
        } else {
            nodes.insert(record, at: place)
        }
    }

    /// Where a node stands, or would.
    private func place(of incarnation: Incarnation) -> Int {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[middle].incarnation < incarnation { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// The cluster as one node has last seen it: who is there, and who owns what. Everybody who has seen all of the same version sees the same.

package struct ClusterView: Sendable {
    package let map: ShardMap
    /// The registry's version that this is; 0 before anything has been seen.
    package private(set) var version: Int64 = 0
    /// The nodes that have not ended, in order of incarnation; their incarnations, to look them up by; and their shards.
    package private(set) var nodes: [NodeRecord] = []
    package private(set) var incarnations: [Incarnation] = []
    package private(set) var parts: [ShardSet] = []
    /// Shards without owner.
    package private(set) var free = ShardSet()
    /// Shards whose owner is not among the nodes: the registry's shards are read a moment after its nodes, and may be newer.
    private var strays = ShardSet()
    private var owners: [Incarnation?]
    private var epochs: [Int64]

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

    package func node(_ incarnation: Incarnation) -> NodeRecord? {
        incarnations.place(of: incarnation).map { nodes[$0] }
    }

    package mutating func apply(_ news: News) {
        version = news.version
        for node in news.nodes where !node.hasEnded { upsert(node) }
        for shard in news.shards { apply(shard) }
        for node in news.nodes where node.hasEnded { remove(node.incarnation) }
    }

    private mutating func apply(_ record: ShardRecord) {
        guard owners.indices.contains(record.shard) else { return }
        if record.owner != owners[record.shard] { move(record.shard, to: record.owner) }
        owners[record.shard] = record.owner
        epochs[record.shard] = record.epoch
    }

    private mutating func move(_ shard: Int, to owner: Incarnation?) {
        change(partOf: owners[shard]) { $0.remove(shard) }
        change(partOf: owner) { $0.insert(shard) }
    }

    private mutating func change(partOf owner: Incarnation?, _ change: (inout ShardSet) -> Void) {
        guard let owner else { return change(&free) }
        if let place = incarnations.place(of: owner) { change(&parts[place]) } else { change(&strays) }
    }

    private mutating func upsert(_ record: NodeRecord) {
        if let place = incarnations.place(of: record.incarnation) {
            nodes[place] = record
        } else {
            let place = incarnations.firstPlace(notBefore: record.incarnation)
            nodes.insert(record, at: place)
            incarnations.insert(record.incarnation, at: place)
            parts.insert(ShardSet(), at: place)
            for shard in strays where owners[shard] == record.incarnation {
                strays.remove(shard)
                parts[place].insert(shard)
            }
        }
    }

    private mutating func remove(_ incarnation: Incarnation) {
        guard let place = incarnations.place(of: incarnation) else { return }
        nodes.remove(at: place)
        incarnations.remove(at: place)
        strays.formUnion(parts.remove(at: place))
    }
}

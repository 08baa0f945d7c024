// What a node publishes about itself, so that all plan with it alike.

package struct Standing: Equatable, Sendable {
    /// It hands everything over, and is given nothing.
    package var isLeaving = false
    /// The shards that it cannot have, with the flows that it lacks for each.
    package private(set) var declined: [Int: [String]] = [:]
    /// The same shards.
    package private(set) var declinedShards = ShardSet()

    package init(isLeaving: Bool = false, declined: [Int: [String]] = [:]) {
        self.isLeaving = isLeaving
        self.declined = declined
        for shard in declined.keys where shard >= 0 { declinedShards.insert(shard) }
    }

    package mutating func decline(_ shard: Int, lacking flows: [String]) {
        declined[shard] = flows
        declinedShards.insert(shard)
    }

    package func allows(_ shard: Int) -> Bool {
        !isLeaving && !declinedShards.contains(shard)
    }
}

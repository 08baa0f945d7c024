// Shards that a node leaves to others, since their definitions of some flows fit its sessions, and this node's do not.

struct DeclinedForDefinitions {
    /// With the flows whose definitions differ.
    private(set) var shards: [Int: [String]] = [:]

    mutating func decline(_ shards: [Int: [String]]) { self.shards = shards }

    mutating func add(_ shard: Int, _ flows: [String]) { shards[shard] = flows }

    /// Drops shards that no other node can serve better, and adds those that another one may. `mayFitElsewhere` is of a flow and a shard.
    mutating func review(_ misfits: [Int: [String]], _ mayFitElsewhere: (String, Int) -> Bool) {
        shards = shards.filter { shard, flows in flows.contains { mayFitElsewhere($0, shard) } }
        shards.merge(misfits) { _, new in new }
    }

    /// As a reason for declining a shard.
    static func shown(_ flows: [String]) -> [String] { flows.map { "\($0) (another definition)" } }
}

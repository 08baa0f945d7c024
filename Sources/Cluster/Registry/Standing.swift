// What a node publishes about itself, so that all plan with it alike.

package struct Standing: Equatable, Sendable {
    /// It hands everything over, and is given nothing.
    package var isLeaving = false
    /// It has died recently and has not stayed up for long enough since: others are given shards before it.
    package var isUnproven = false
    /// Where its page is; nil where it has none that other nodes could reach.
    package var door: NodeDoor?
    /// What it adds to the registry's readings of the time.
    package var clock = ClockCorrection()
    /// The shards that it cannot have, with the flows that it lacks for each.
    package private(set) var declined: [Int: [String]] = [:]
    /// The same shards.
    package private(set) var declinedShards = ShardSet()

    package init(
        isLeaving: Bool = false, isUnproven: Bool = false, declined: [Int: [String]] = [:], door: NodeDoor? = nil
    ) {
        (self.isLeaving, self.isUnproven, self.door) = (isLeaving, isUnproven, door)
        setDeclined(declined)
    }

    package mutating func setDeclined(_ declined: [Int: [String]]) {
        self.declined = declined
        declinedShards = ShardSet()
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

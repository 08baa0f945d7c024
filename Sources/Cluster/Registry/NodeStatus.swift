// What a node publishes about itself, so that all plan with it alike.

package struct NodeStatus: Equatable, Sendable {
    /// It hands everything over, and is given nothing.
    package var isLeaving = false
    /// It has died recently and has not stayed up for long enough since: others are given shards before it.
    package var isUnproven = false
    /// Where its page is; nil where it has none that other nodes could reach.
    package var door: NodeEndpoint?
    /// What it adds to the registry's readings of the time.
    package var clock = ClockCorrection()
    /// The shards that it cannot have, with the flows that it lacks for each.
    package private(set) var declined: [Int: [String]] = [:]
    /// The same shards.
    package private(set) var declinedShards = ShardSet()
    package private(set) var definitions = FlowDefinitions()
    /// By shard and flow, how many sessions the definitions here do not fit: of shards that it has, and of some that it had.
    package private(set) var misfits: [Int: [String: Int]] = [:]

    /// More flows of one shard are not published.
    private static let maxFlowsOfShard = 16

    package init(
        isLeaving: Bool = false, isUnproven: Bool = false, declined: [Int: [String]] = [:], door: NodeEndpoint? = nil
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

    /// What other definitions did not fit is not known of these.
    package mutating func setDefinitions(_ definitions: FlowDefinitions) {
        self.definitions = definitions
        misfits = [:]
    }

    /// With no flows, its definitions fit all sessions of the shard.
    package mutating func setMisfits(_ flows: [String: Int], of shard: Int) {
        guard flows.count > Self.maxFlowsOfShard else { return misfits[shard] = flows.isEmpty ? nil : flows }
        let first = flows.sorted { $0.key < $1.key }.prefix(Self.maxFlowsOfShard)
        misfits[shard] = Dictionary(uniqueKeysWithValues: first.map { ($0.key, $0.value) })
    }

    package func allows(_ shard: Int) -> Bool {
        !isLeaving && !declinedShards.contains(shard)
    }
}

// What a node publishes about itself, so that all plan with it alike.

package struct Standing: Equatable, Sendable {
    /// It hands everything over, and is given nothing.
    package var isLeaving = false
    /// The shards that it cannot have, with the flows that it lacks for each.
    package var declined: [Int: [String]] = [:]

    package init() {}

    package func allows(_ shard: Int) -> Bool {
        !isLeaving && declined[shard] == nil
    }
}

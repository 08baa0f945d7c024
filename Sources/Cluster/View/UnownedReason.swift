// Why a shard has no owner, for whoever asks.

package enum UnownedReason: Equatable, Sendable {
    /// Somebody will take it within a second or so.
    case soonTaken
    /// No node is there, or all of them are leaving.
    case nobodyThere
    /// No node that is there can have it: these flows are missing, each on at least one of them.
    case flowsMissing([String])
}

extension ClusterView {
    /// Nil if the shard has an owner.
    package func unownedReason(of shard: Int) -> UnownedReason? {
        guard owner(ofShard: shard) == nil else { return nil }
        let staying = nodes.filter { !$0.standing.isLeaving }
        if staying.isEmpty { return .nobodyThere }
        if staying.contains(where: { $0.standing.allows(shard) }) { return .soonTaken }
        return .flowsMissing(Set(staying.flatMap { $0.standing.declined[shard] ?? [] }).sorted())
    }
}

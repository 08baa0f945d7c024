// The answer to a client that asks this node for a shard.

import Timers

package enum Route: Equatable, Sendable {
    /// This node serves the shard.
    case here
    /// This node has no lease.
    case noLease
    /// The shard is in transfer: it is this node's and not loaded, or its new owner may not know of it yet.
    case inTransfer
    /// Another node owns the shard, and knows so: it serves it or answers that it is in transfer.
    case elsewhere(NodeRecord)
    case unowned(UnownedReason)
}

extension Member {
    package func route(ofShard shard: Int, at now: Instant) -> Route {
        guard mayServe(at: now) else { return .noLease }
        if holdings[shard]?.stage == .serving { return .here }
        if holdings[shard] != nil || unheard.contains(shard, at: now) { return .inTransfer }
        if let owner = view.owner(ofShard: shard), owner != incarnation, let node = view.node(owner) { return .elsewhere(node) }
        return .unowned(view.unownedReason(of: shard) ?? .soonTaken)
    }
}

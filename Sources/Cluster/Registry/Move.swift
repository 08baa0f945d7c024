// A change of one shard's owner, which adds one to its epoch.

package struct Move: Equatable, Sendable {
    package let shard: Int
    /// The move counts only where this is the shard's epoch.
    package let epoch: Int64
    /// And only where this is its owner: the node that asks, one that it ends with the same request, or nil for no owner.
    package let from: Incarnation?
    /// The new owner, a node with a lease that has not expired; nil for none. If it is the node that asks, only the epoch changes, which shuts out
    /// changes that the node has sent and lost track of.
    package let to: Incarnation?

    package init(shard: Int, epoch: Int64, from: Incarnation?, to: Incarnation?) {
        self.shard = shard
        self.epoch = epoch
        self.from = from
        self.to = to
    }
}

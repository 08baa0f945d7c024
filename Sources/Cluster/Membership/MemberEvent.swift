// Events that a member handles.

import Timers

package enum MemberEvent: Equatable, Sendable {
    /// Nothing but that it is now; due at `nextDeadline` at the latest.
    case timePassed
    /// The registry's answer to the question of this number, or that none will come. Every question gets one.
    case answered(Int, Answer)
    /// The registry has notified all nodes that these nodes have gained shards.
    case shardsGained([Incarnation])
    /// A node has notified all nodes that it serves shards that were given to it.
    case arrived([Arrival])
    /// The daemon serves this shard from now on.
    case loaded(shard: Int, epoch: Int64)
    /// The daemon cannot have this shard, since it lacks flows.
    case declined(shard: Int, epoch: Int64, lacking: [String])
    /// The daemon does not serve this shard, since the definitions of other nodes may fit more of its sessions: see `declines(_:unfit:)`.
    case unfit(shard: Int, epoch: Int64, flows: [String: Int])
    /// How many sessions of each flow are set aside in shards that the daemon serves, since its definitions do not fit them.
    case misfits([Int: [String: Int]])
    /// The daemon's flows have these definitions from now on.
    case defines(FlowDefinitions)
    /// The daemon has let go of this shard: all its changes are committed.
    case released(shard: Int, epoch: Int64)
    /// A commit of this shard was refused by its fence, or its outcome is unknown.
    case lostTrack(shard: Int, epoch: Int64)
    /// The shards that the daemon cannot have have changed: flows were reloaded, or it has checked them before joining.
    case declines([Int: [String]])
    /// Hand everything over, and end at the deadline at the latest.
    case stop(deadline: Instant)
}

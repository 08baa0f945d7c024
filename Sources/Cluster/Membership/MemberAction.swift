// What a member wants done, in this order.

package enum MemberAction: Equatable, Sendable {
    /// Ask the registry. There is no other question under way.
    case ask(Question)
    /// Read a shard, and say `loaded` or `declined`.
    case load(shard: Int, epoch: Int64)
    /// Answer for a shard no more, commit what is pending, and say `hasLetGo` or `lostTrack`.
    case release(shard: Int)
    /// Drop a shard from memory at once, whatever is under way; nothing is to be said.
    case forget(shard: Int)
    /// Drop all shards: this incarnation has ended.
    case forgetAll
    /// Notify all nodes that these shards are served here. It may be lost.
    case announce([Arrival])
    /// Log that the registry's clock has jumped by so much. No deadline of this node moves.
    case warn(clockJump: Duration)
    /// Report that another node has this node's address. It is waited for until its lease expires.
    case reportOccupied(Incarnation)
    /// Another node that is alive has this node's address: end with an error. Nothing more will be asked.
    case refuseDouble(Incarnation)
    /// Report that the registry has gone back in time. It lacks so many versions, or 0 if it has changed more than that since.
    case reportGoneBack(versions: Int64)
    /// It is over: nothing more will be asked.
    case end
}

package struct Question: Equatable, Sendable {
    package let number: Int
    package let request: Request

    package init(number: Int, request: Request) { (self.number, self.request) = (number, request) }
}

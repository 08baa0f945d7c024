// What the daemon asks a member before it does something, and what it shows to people.

import Timers

extension Member {
    /// Whether the lease lasts for certain. To be asked with the time that it is, before the first timer and the first reply of every turn: the
    /// process may have slept.
    package func mayServe(at now: Instant) -> Bool {
        now < lease.servesUntil
    }

    /// Until when, exclusively.
    package var servesUntil: Instant { lease.servesUntil }

    /// Whether this shard is served here.
    package func serves(_ shard: Int, at now: Instant) -> Bool {
        mayServe(at: now) && holdings[shard]?.stage == .serving
    }

    /// The shards that are served here.
    package func served(at now: Instant) -> ShardSet {
        mayServe(at: now) ? holdings.shards(in: .serving) : ShardSet()
    }

    /// The epoch under which this shard's changes are written here; nil if it is not this node's.
    package func epoch(ofShard shard: Int) -> Int64? { holdings[shard]?.epoch }

    /// The shards that are this node's, whether or not they are served yet.
    package var shards: [Int] { Array(holdings.shards) }

    package var incarnation: Incarnation? {
        switch phase {
        case .inside(let incarnation), .parting(let incarnation): incarnation
        case .outside, .over: nil
        }
    }

    /// What the registry shows of the standing. It may be of an earlier request, of which no answer came, or that was done late.
    var published: NodeStatus? { incarnation.flatMap { view.node($0)?.standing } }

    /// Nodes that have missed a renewal.
    package var silentNodes: Set<Incarnation> { lapses.nodes }

    package var name: String { id.description }

    /// Where clients find this node.
    package var place: NodeAddress { address }

    package var isOver: Bool { phase == .over }

    /// How old the view is; nil before there is one.
    package func viewAge(at now: Instant) -> Duration? {
        lease.askedAt?.duration(to: now)
    }
}

// The cluster that this daemon is a node of, as commands see it.

import Cluster
import RESP
import Sessions
import Timers

package protocol ClusterMember: AnyObject {
    /// Throws where a session of this slot is not to be answered for here: `MOVED`, `TRYAGAIN` or `CLUSTERDOWN`.
    func check(slot: Int) throws(CommandError)

    /// The node that has this slot's sessions, where that is another one, as far as is known.
    func other(ofSlot slot: Int) -> RemoteNode?
    /// All nodes but this one, in the order in which they have joined.
    var others: [RemoteNode] { get }
    /// Grows with each node that joins; 0 while this one has not.
    var incarnationNumber: Int64 { get }

    /// This node's name: 40 hexadecimal digits.
    var name: String { get }
    /// Why no session can be served; nil if those that are here can.
    var failure: String? { get }
    /// All nodes, this one among them, in the order in which they have joined.
    var peers: [ClusterPeer] { get }
    /// Further state of the node, shown to people.
    var report: ClusterReport { get }
    /// Its counters, for monitoring.
    var statistics: ClusterStatistics { get }
    /// The date by the database's clock, in nanoseconds since 1970: the same on all nodes.
    var wallNanoseconds: Int64 { get }
    /// The sessions of this slot that are here.
    func sessions(ofSlot slot: Int) -> [Session]
}

/// A node, as the cluster's database last said.
package struct ClusterPeer {
    package enum State: String, CaseIterable {
        case here
        /// It hands its shards over.
        case leaving
        /// It has not renewed its lease lately.
        case silent
        /// It has no lease, or has never had one.
        case outside
    }

    package let name: String
    package let host: String
    /// 0 without a TCP listener.
    package let port: Int
    /// Where its page is; nil where it has none that other nodes could reach.
    package let http: String?
    /// Grows with each node that joins.
    package let incarnation: Int64
    package let isMyself: Bool
    package let state: State
    /// The slots that it owns, in order.
    package let slots: [ClosedRange<Int>]
    package let shards: [ClosedRange<Int>]
    /// The greatest epoch of its shards.
    package let epoch: Int64
    /// The flows that it lacks for shards that it could have otherwise.
    package let missingFlows: [String]

    package init(
        name: String, host: String, port: Int, http: String?, incarnation: Int64, isMyself: Bool, state: State,
        slots: [ClosedRange<Int>], shards: [ClosedRange<Int>], epoch: Int64, missingFlows: [String]
    ) {
        (self.name, self.host, self.port, self.http, self.incarnation) = (name, host, port, http, incarnation)
        (self.isMyself, self.state, self.slots, self.shards) = (isMyself, state, slots, shards)
        (self.epoch, self.missingFlows) = (epoch, missingFlows)
    }

    package var slotCount: Int { slots.reduce(0) { $0 + $1.count } }
    package var shardCount: Int { shards.reduce(0) { $0 + $1.count } }
    package var address: String { NodeAddress(host: host, port: port).description }
}

/// A node that something may be sent to over HTTP.
package struct RemoteNode {
    package let name: String
    package let incarnation: Int64
    /// Where clients of the wire find it.
    package let address: NodeAddress
    package let endpoint: NodeEndpoint?
    package let state: ClusterPeer.State

    package init(name: String, incarnation: Int64, address: NodeAddress, door: NodeEndpoint?, state: ClusterPeer.State) {
        (self.name, self.incarnation, self.address) = (name, incarnation, address)
        (self.endpoint, self.state) = (door, state)
    }

    /// As people know it.
    package var place: String { address.port == 0 ? endpoint?.address.description ?? address.description : address.description }
}

/// The cluster's state as this node knows it, besides the nodes.
package struct ClusterReport {
    /// A shard that has changed its owner, which is nil where it has none.
    package struct Move {
        package let at: Instant
        package let shard: Int
        package let epoch: Int64
        package let from: NodeAddress?
        package let to: NodeAddress?

        package init(at: Instant, shard: Int, epoch: Int64, from: NodeAddress?, to: NodeAddress?) {
            (self.at, self.shard, self.epoch, self.from, self.to) = (at, shard, epoch, from, to)
        }
    }

    /// When it was made.
    package let now: Instant
    /// All shards that there are.
    package var shards = 0
    /// Shards without owner, and the flows that keep them so.
    package var unowned: [ClosedRange<Int>] = []
    package var missingFlows: [String] = []
    package var differingFlows: [DifferingFlow] = []
    /// Shards of this node that are on their way here.
    package var loading = 0
    /// Remaining time of this node's lease, and the age of its cluster snapshot; nil if it has none.
    package var leaseMilliseconds: Int?
    package var ageMilliseconds: Int?
    /// The newest first.
    package var moves: [Move] = []

    package init(at now: Instant) { self.now = now }

    /// How many milliseconds ago the shard has moved.
    package func age(of move: Move) -> Int { move.at.duration(to: now).milliseconds }
}

// MARK: - A node's metrics in a cluster, for monitoring

package struct ClusterStatistics {
    /// Answers of the database to renewals of the lease, and those that did not come.
    package var renewals = 0
    package var failedRenewals = 0
    /// How often it has begun as a node: more than once where it was taken for dead.
    package var joins = 0
    /// Shards that have come, were handed over, and that others had or that it had lost track of.
    package var taken = 0
    package var given = 0
    package var lost = 0
    /// How long reading a shard took.
    package var loads = DurationHistogram()
    /// How long the lease lasts.
    package var leaseLeft = Duration.zero
    /// Age of its cluster snapshot; nil if it has none.
    package var age: Duration?
    /// How often the database's clock has jumped by more than a second.
    package var clockJumps = 0
    /// How often the database has gone back in time, and how many rows of logs it got again.
    package var rewinds = 0
    package var rewrittenRows = 0
    /// All shards, and those without owner.
    package var shards = 0
    package var unowned = 0
    /// Shards of this node with their epochs, and how many of them are still being read.
    package var owned: [(shard: Int, epoch: Int64)] = []
    package var loading = 0
    /// Changes that are safe in the log, and not in the tables yet from which the next owner reads.
    package var tablesBacklogBytes = 0

    package init() {}
}

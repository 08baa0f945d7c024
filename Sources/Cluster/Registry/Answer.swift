// Answers of the registry.

package indirect enum Answer: Equatable, Sendable {
    /// `deaths` is how many nodes at the same address have died recently.
    case joined(Incarnation, RegistryUpdate, deaths: Int)
    /// Another node has the same address and has not ended: the asker does not join. Its lease lasts until that time.
    case occupied(Incarnation, leaseUntil: RegistryTime)
    case update(RegistryUpdate)
    /// The asker's incarnation has ended, and nothing happened.
    case ended
    /// The registry has gone back in time, to this version, and does not have the asker's incarnation. Nothing happened.
    case forgotten(version: Int64)
    /// `leave` is done: the incarnation has ended. The shards that it still owned have no owner, and each has a new epoch.
    case left
    /// No answer came: the request may have happened, may not, and may yet.
    case failed
}

/// Changes since the version that the asker has seen.
package struct RegistryUpdate: Equatable, Sendable {
    package let time: RegistryTime
    package let version: Int64
    /// Nodes that joined, ended, or published another standing.
    package let nodes: [NodeRecord]
    package let shards: [ShardRecord]
    /// Those that have not ended and have less than half of their lease left: they have missed a renewal.
    package let lapsing: [LapsingLease]
    /// How often the registry has gone back in time, as far as it knows.
    package let rewinds: Int64
    /// How often the asker's incarnation has renewed its lease, this time included; nil if it has not.
    package let renewals: Int64?

    package init(
        time: RegistryTime, version: Int64, nodes: [NodeRecord], shards: [ShardRecord], lapsing: [LapsingLease],
        rewinds: Int64 = 0,
        renewals: Int64? = nil
    ) {
        (self.rewinds, self.renewals) = (rewinds, renewals)
        self.time = time
        self.version = version
        self.nodes = nodes
        self.shards = shards
        self.lapsing = lapsing
    }
}

package struct NodeRecord: Equatable, Sendable {
    package let id: NodeID
    package let incarnation: Incarnation
    package let address: NodeAddress
    package let standing: NodeStatus
    package let hasEnded: Bool

    package init(id: NodeID, incarnation: Incarnation, address: NodeAddress, standing: NodeStatus, hasEnded: Bool) {
        self.id = id
        self.incarnation = incarnation
        self.address = address
        self.standing = standing
        self.hasEnded = hasEnded
    }
}

package struct ShardRecord: Equatable, Sendable {
    package let shard: Int
    package let owner: Incarnation?
    package let epoch: Int64

    package init(shard: Int, owner: Incarnation?, epoch: Int64) {
        self.shard = shard
        self.owner = owner
        self.epoch = epoch
    }
}

/// A lease that runs out in `remaining` of the registry's time, or has done so where that is negative.
package struct LapsingLease: Equatable, Sendable {
    package let incarnation: Incarnation
    package let remaining: Duration

    package init(incarnation: Incarnation, remaining: Duration) {
        self.incarnation = incarnation
        self.remaining = remaining
    }
}

// MARK: - A point in time on the registry's own clock

package struct RegistryTime: Hashable, Comparable, Sendable {
    /// Microseconds since 1970, as PostgreSQL has them.
    package let microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package static func < (left: RegistryTime, right: RegistryTime) -> Bool {
        left.microseconds < right.microseconds
    }
}

// MARK: - One life of a node in the cluster: from its joining until its lease has ended.

/// The registry numbers them in rising order, from the time in seconds on, and never gives a number twice, even if it goes back in time.
package struct Incarnation: Hashable, Comparable, Sendable {
    package let number: Int64

    package init(_ number: Int64) {
        self.number = number
    }

    package static func < (left: Incarnation, right: Incarnation) -> Bool {
        left.number < right.number
    }
}

/// In rising order.
extension [Incarnation] {
    func sortedIndex(notBefore incarnation: Incarnation) -> Int { partitionIndex { $0 >= incarnation } }

    func sortedIndex(of incarnation: Incarnation) -> Int? {
        let index = sortedIndex(notBefore: incarnation)
        return index < count && self[index] == incarnation ? index : nil
    }
}

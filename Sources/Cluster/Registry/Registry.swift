// The registry, as a node uses it.

import Timers

/// A connection to the registry, used by one thread. Nothing waits forever.
package protocol Registry: AnyObject {
    /// Asks, and waits for the answer: `failed` where none came.
    func ask(_ request: Request) -> Answer

    /// Why the last answer was `failed`.
    var failure: String? { get }

    /// Notifies all nodes, unless that fails.
    func announce(_ arrivals: [Arrival])

    /// Waits until all nodes are notified of something, and returns that; empty when `waker`, a descriptor, can be read before that, or
    /// `milliseconds` have passed. Nil where the connection has ended.
    func notices(orUntil waker: Int32, atMost milliseconds: Int32) -> [MemberEvent]?

    func close()
}

// MARK: - Events that a member handles.

package enum MemberEvent: Equatable, Sendable {
    /// Nothing but that it is now; due at `nextDeadline` at the latest.
    case timePassed
    /// The registry's answer to the question of this number, or that none will come. Every question gets one. The first one after the end of a
    /// connection has `failed`.
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

// MARK: - A shard that its new owner serves, which it tells the others.

package struct Arrival: Equatable, Sendable {
    package let shard: Int
    package let epoch: Int64

    package init(shard: Int, epoch: Int64) {
        self.shard = shard
        self.epoch = epoch
    }
}

// MARK: - A node's memory of the registry, outside the registry: a registry that shows less has gone back in time.

/// The registry as of the highest version that a node has seen.
package struct Remembered: Equatable, Sendable {
    /// A registry that has gone back has given out epochs that this node may not know. Raised by this much, it gives none of them again.
    package static let jump: Int64 = 1_000_000

    /// Whether a shard's owner has had it since this epoch: each change of owner adds one, also that to the same owner, and each time that the
    /// registry is raised adds a jump.
    package static func isSameOwner(at epoch: Int64, since former: Int64) -> Bool {
        epoch >= former && (epoch - former) % jump <= 1
    }

    package private(set) var version: Int64 = 0
    /// How often the registry had gone back in time.
    package private(set) var rewinds: Int64 = 0
    /// The highest epoch of each shard.
    package private(set) var epochs: [Int64]
    /// The owner of each shard under that epoch; nil if it had none.
    package private(set) var owners: [Incarnation?]
    /// The nodes that had not ended, in order of incarnation.
    package private(set) var nodes: [NodeRecord] = []

    package init(map: ShardMap) {
        epochs = Array(repeating: 0, count: map.count)
        owners = Array(repeating: nil, count: map.count)
    }

    package init(
        version: Int64, rewinds: Int64 = 0, epochs: [Int64], owners: [Incarnation?], nodes: [NodeRecord] = []
    ) {
        (self.version, self.rewinds, self.epochs, self.owners, self.nodes) = (version, rewinds, epochs, owners, nodes)
    }

    /// Whether the owner of a known shard is still the same, and has been so all the time: a change to the same owner adds one.
    func hasSameOwner(_ record: ShardRecord) -> Bool {
        owners[record.shard] == record.owner && (0...1).contains(record.epoch - epochs[record.shard])
    }

    /// Without shards if their owner is missing among the nodes: an answer reads nodes before shards, so the owner may have joined in between. Raised
    /// without its node, such a shard would have no owner, and any node could take it.
    var withKnownOwners: Remembered {
        let known = Set(nodes.map(\.incarnation))
        var remembered = self
        for (shard, owner) in owners.enumerated() where owner.map(known.contains) == false {
            (remembered.epochs[shard], remembered.owners[shard]) = (0, nil)
        }
        return remembered
    }

    /// `isAll` if the news are complete, not only changes.
    mutating func apply(_ update: RegistryUpdate, isAll: Bool) {
        (version, rewinds) = (max(version, update.version), max(rewinds, update.rewinds))
        for record in update.shards where epochs.indices.contains(record.shard) && record.epoch >= epochs[record.shard] {
            (epochs[record.shard], owners[record.shard]) = (record.epoch, record.owner)
        }
        guard isAll || !update.nodes.isEmpty else { return }
        let changed = Set(update.nodes.map(\.incarnation))
        let others = isAll ? [] : nodes.filter { !changed.contains($0.incarnation) }
        nodes = (others + update.nodes.filter { !$0.hasEnded }).sorted { $0.incarnation < $1.incarnation }
    }
}

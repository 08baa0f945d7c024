// Requests of a node to the registry. Each request happens as a whole or not at all, and a node has one in flight at a time.
//
// The registry is PostgreSQL, in READ COMMITTED. The rules below are for its statements; `FakeRegistry` of the tests follows them, too.
//
//     cluster(version, rewinds)                                               one row
//     node(id, attempt, incarnation, address, lease_until, renewals, standing, ended, changed)
//     shard(id, epoch, owner, changed)
//
// - A request that changes more than a lease locks the row of `cluster` first (FOR UPDATE), then rows of `node`, then rows of `shard`. It locks
//   its own node first, then the others in order of incarnation, and shards in order of id. It commits with `version + 1` in `cluster` and in
//   `changed` of every row that it has touched, if there are any. So writers wait for each other in that row and nowhere else. Versions are
//   committed in their order: a node that has seen version n has seen all that is marked up to n.
// - A renewal that only renews locks nothing but its own row of `node`. It cannot take part in a deadlock.
// - Appending to logs locks rows of `shard` FOR SHARE in order of id, and no others: a move waits for the appends that have begun, and those
//   that come later find another epoch.
// - Time is `clock_timestamp()`, read once the row with the lease is locked; `now()` is when the transaction began.
// - A node that joins may delete rows of `node` that ended more than an hour ago, unless a node that has not ended has not renewed since.

package indirect enum Request: Equatable, Sendable {
    case join(Joining)
    case renew(Renewal)
    case leave(Incarnation)
}

/// Begins an incarnation, with a new number and a full lease. An earlier incarnation of the same id ends here. Its shards are left without owner: the
/// process that asks has forgotten them. The answer is `joined`, with everything (as if version 0 had been seen). Where the id's row has this attempt
/// or a later one already (`INSERT … WHERE NOT EXISTS`), nothing happens, and the answer is `ended`: a request that was lost on its way must not end
/// what a later one began.
///
/// At most one node that has not ended has an address (but for port 0, at which no client is served). If another node has it, nothing else happens
/// and the answer is `occupied`. The exception is the node in `replaces`: if its lease has expired, it ends here.
///
/// A node that ended within the last ten minutes and had not published that it leaves, has died. If a node at the same address has died, the registry
/// writes the standing with `isUnproven`.
package struct Joining: Equatable, Sendable {
    package let id: NodeID
    /// Rises with each time that this process asks to join.
    package let attempt: Int
    package let address: NodeAddress
    package let standing: NodeStatus
    /// A node at the same address that has not renewed its lease for at least `MemberTimes.grace`; nil without such a node.
    package var replaces: Incarnation?
}

/// Renews the lease of an incarnation that has not ended (`UPDATE node SET lease_until = … WHERE incarnation = $1 AND NOT ended`; an update that
/// waited for a node that ends it finds no row). An expired lease is renewed, too, since no node has ended the incarnation. No row: nothing else
/// happens either, and the answer is `ended`. In the same transaction:
///
/// 1. `standing`, where there is one, is written.
/// 2. Of the incarnations in `ends`, those with an expired lease end (`UPDATE … WHERE NOT ended AND lease_until < clock_timestamp()`: one that
///    waited for a renewal in flight looks again, and finds it renewed).
/// 3. The `moves` with fulfilled conditions happen (see `Move`), each for itself.
/// 4. Shards that ended incarnations still own are left without owner, adding one to their epochs.
///
/// The registry counts the renewals of each incarnation. An answer with no higher count than the one before shows that the registry has gone back in
/// time.
///
/// With `raises`, before all this, unless another node has raised the registry since (`rewinds` is higher than remembered):
///
/// 1. The version becomes `Remembered.jump` more than the higher of the registry's and the remembered one; `rewinds` one more than remembered.
/// 2. Remembered nodes that the registry lacks are inserted with a full lease. Of two nodes with the same id or address, the one with the lower
///    incarnation ends. A node that has joined since keeps its address and its incarnation.
/// 3. Each epoch becomes `Remembered.jump` more than the higher of the registry's and the remembered one. Where the remembered one is higher,
///    or the same and the shard has no owner (its former one has left since), the owner becomes the remembered owner, or nil if that one has ended.
///    The other owners stay.
///
/// If other nodes have raised the registry since, the asker may remember moves that they did not know: 2 happens, and 3 to shards with epochs lower than
/// the remembered one and `Remembered.jump` for each time, or with that epoch and no owner. They get that epoch.
///
/// If the incarnation does not exist and the version is lower than `seen`, nothing happens, and the answer is `forgotten`: so it is if another node has
/// raised the registry, and did not know this one.
///
/// The answer is `update`, as of the end of all this. A request that locks nothing reads nodes and then shards, which may be newer. Nodes that have
/// gained shards are notified, with their incarnations, at commit.
package struct Renewal: Equatable, Sendable {
    package let incarnation: Incarnation
    /// The version that the asker has seen: the answer has the changes since.
    package let seen: Int64
    /// The node that has this incarnation: a registry that has gone back in time may give its number to another.
    package let id: NodeID?
    /// How often the registry had gone back in time, as far as the asker knows.
    package var rewinds: Int64 = 0
    /// The registry before it went back in time; nil if it has not.
    package var raises: Remembered?
    package var standing: NodeStatus?
    package var ends: [Incarnation] = []
    package var moves: [Move] = []

    /// Whether it only renews the lease, and locks one row.
    package var isPlain: Bool { standing == nil && ends.isEmpty && moves.isEmpty && raises == nil }

    /// Whether shards of the asker get another owner, or none.
    package var handsOver: Bool { moves.contains { $0.from == incarnation && $0.to != incarnation } }

    /// Whether a registry that does not have the asker may have forgotten it. If not, another node has ended it.
    package func isForgotten(by version: Int64, rewinds: Int64) -> Bool {
        raises == nil && (version < seen || rewinds > self.rewinds)
    }

    package init(incarnation: Incarnation, of id: NodeID? = nil, seen: Int64) {
        self.incarnation = incarnation
        self.id = id
        self.seen = seen
    }
}

// MARK: - A node's name in the cluster: 40 hexadecimal digits, as in Redis Cluster

/// Made once per process. A process that starts again is another node: it has nothing that its predecessor had, and a copied directory
/// or machine cannot make two nodes that take each other for themselves.
package struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    private static let length = 40

    package let description: String

    /// Nil unless it is 40 digits of 0 to 9 and a to f.
    package init?(_ text: String) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
        guard text.utf8.count == Self.length, text.utf8.allSatisfy({ digits.contains($0) || letters.contains($0) }) else {
            return nil
        }
        description = text
    }

    /// 160 random bits.
    package init(random generator: inout some RandomNumberGenerator) {
        description = String(
            (0..<Self.length).map { _ in Character(String(UInt8.random(in: 0...15, using: &generator), radix: 16)) })
    }

    package static func < (left: NodeID, right: NodeID) -> Bool {
        left.description < right.description
    }
}

// MARK: - A change of one shard's owner, which adds one to its epoch.

package struct Move: Equatable, Sendable {
    package let shard: Int
    /// The move counts only where this is the shard's epoch.
    package let epoch: Int64
    /// And only where this is its owner: the node that asks, one that it ends with the same request, or nil for no owner.
    package let from: Incarnation?
    /// The new owner, a node with a lease that has not expired; nil for none. If it is the node that asks, only the epoch changes, which shuts out
    /// changes that the node has sent and lost track of.
    package let to: Incarnation?
}

// Messages between shards: written with their sender's changes, and deleted with the changes that they cause at their receiver.

/// A message as a commit has it.
package struct PostedMessage: Sendable {
    /// The receiver's shard.
    package let shard: Int
    package let body: [UInt8]
    /// Random. A message that is written again, since the database has lost it, keeps its key.
    package let key: Int64

    package init(to shard: Int, _ body: [UInt8], key: Int64 = .random(in: .min ... .max)) {
        (self.shard, self.body, self.key) = (shard, body, key)
    }
}

/// Identifies a message that waits.
package struct MessageID: Hashable, Sendable {
    /// From the store. Of the messages to one shard, a sender's later ones have higher numbers. A database that goes back in time may
    /// give the same number to another message.
    package let number: Int64
    package let key: Int64

    package init(_ number: Int64, key: Int64) {
        (self.number, self.key) = (number, key)
    }
}

/// A message that waits for its receiver's shard.
package struct WaitingMessage: Sendable {
    package let id: MessageID
    package let body: [UInt8]

    package init(_ id: MessageID, _ body: [UInt8]) {
        (self.id, self.body) = (id, body)
    }
}

extension [WaitingMessage] {
    /// In bytes of bodies. The message that reaches it is the last one of a reading.
    package static var maxBytesAtOnce: Int { 1 << 20 }

    /// Whether a reading of at most `limit` messages that returned these may have left others.
    package func mayLackSome(of limit: Int) -> Bool {
        count >= limit || reduce(0) { $0 + $1.body.count } >= Self.maxBytesAtOnce
    }
}

/// The messages of all shards, as an owner of some sees them.
package protocol StoreMessages: StoreConnection {
    /// How many messages wait for each shard for which there are any.
    func counts() throws(StoreError) -> [Int: Int]

    /// Returns the messages of a shard in the order of their numbers, without those in `known`: at most `limit`, and fewer
    /// large ones, since a reading must end within the connection's timeouts. See `mayLackSome`.
    func read(_ shard: Int, without known: [Int64], atMost limit: Int) throws(StoreError) -> [WaitingMessage]

    /// Announces to all nodes that there are messages for these shards.
    func announceMessages(for shards: Set<Int>) throws(StoreError)

    /// Leaves a crash note for the next node that loads the shard. Its statements about messages count only if the shard's epoch is still the note's.
    func leave(_ note: TrapNote) throws(StoreError)

    /// Returns the shards that other nodes have announced. Waits until there is one, this time has passed, or `waker`, a descriptor, can be read.
    func waitForMessages(orUntil waker: Int32, atMost milliseconds: Int32) throws(StoreError) -> Set<Int>
}

// MARK: - Crash note of a node that traps

package struct TrapNote: Sendable {
    package let shard: Shard
    /// The session with code that trapped. It has recovered if it has a higher version by now. Nil where there is only a message to blame.
    package let session: SavedVersion?
    /// Why the session is quarantined; empty without one.
    package let problem: String
    /// A message to the shard that must not be applied, and the message sent to another session instead.
    package let taken: MessageID?
    package let posted: PostedMessage?

    package init(
        _ shard: Shard, _ session: SavedVersion?, problem: String = "", taken: MessageID? = nil, posted: PostedMessage? = nil
    ) {
        (self.shard, self.session, self.problem, self.taken, self.posted) = (shard, session, problem, taken, posted)
    }
}

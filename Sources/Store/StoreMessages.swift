// Messages between shards: written with their sender's changes, and deleted with what they do to their receiver.

/// A message as a commit has it.
package struct PostedMessage: Sendable {
    /// The receiver's shard.
    package let shard: Int
    package let body: [UInt8]

    package init(to shard: Int, _ body: [UInt8]) {
        (self.shard, self.body) = (shard, body)
    }
}

/// A message that waits for its receiver's shard.
package struct WaitingMessage: Sendable {
    /// Of those to one shard, a sender's later ones have higher numbers.
    package let number: Int64
    package let body: [UInt8]

    package init(_ number: Int64, _ body: [UInt8]) {
        (self.number, self.body) = (number, body)
    }
}

/// The messages of all shards, as an owner of some sees them.
package protocol StoreMessages: AnyObject {
    /// How many messages wait for each shard for which there are any.
    func counts() throws(StoreError) -> [Int: Int]

    /// The messages of a shard in the order of their numbers, at most so many, without those of these numbers.
    func read(_ shard: Int, without known: [Int64], atMost limit: Int) throws(StoreError) -> [WaitingMessage]

    /// Tells all nodes that there are messages for these shards.
    func announceMessages(for shards: Set<Int>) throws(StoreError)

    /// Leaves a note for whoever loads the shard next. What it says of messages counts only where the shard's epoch is still the note's.
    func leave(_ note: TrapNote) throws(StoreError)

    /// What others have told, once there is something, or once so much time has passed or `waker`, a descriptor, can be read.
    func told(orUntil waker: Int32, atMost milliseconds: Int32) throws(StoreError) -> Set<Int>

    /// Ends what waits, at once. Any thread may call it.
    func cancel()

    func close()
}

// MARK: - What a node that is ended by a trap says at last

package struct TrapNote: Sendable {
    /// A session whose code has trapped.
    package struct TrappedSession: Sendable {
        package let name: String
        /// Tells it from others of its name; nil if that is not known.
        package let life: Int64?
        /// Where it has a higher version by now, it has got over it.
        package let version: Int64
        /// Why it is quarantined.
        package let problem: String

        package init(name: String, life: Int64?, version: Int64, problem: String) {
            (self.name, self.life, self.version, self.problem) = (name, life, version, problem)
        }
    }

    package let shard: Shard
    /// Nil where there is only a message to blame.
    package let culprit: TrappedSession?
    /// A message to the shard that nobody is to carry out any more, and what is said to somebody instead.
    package let taken: Int64?
    package let posted: PostedMessage?

    package init(_ shard: Shard, _ culprit: TrappedSession?, taken: Int64? = nil, posted: PostedMessage? = nil) {
        (self.shard, self.culprit, self.taken, self.posted) = (shard, culprit, taken, posted)
    }
}

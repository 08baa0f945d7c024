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

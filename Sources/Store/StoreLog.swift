// The logs of a daemon's shards. Used by one thread at a time.

/// The batch of one shard in one commit.
package struct ShardBatch {
    package let shard: Shard
    /// Its place in the shard's log: one more than that of the batch before it.
    package let number: Int64
    package let bytes: UnsafeRawBufferPointer
    /// Messages of its sessions to others, in order.
    package let posted: [PostedMessage]
    /// The messages to it that were applied.
    package let taken: [MessageID]

    package init(
        _ shard: Shard, number: Int64, bytes: UnsafeRawBufferPointer, posted: [PostedMessage] = [], taken: [MessageID] = []
    ) {
        self.shard = shard
        self.number = number
        self.bytes = bytes
        self.posted = posted
        self.taken = taken
    }
}

package protocol StoreLog: StoreConnection {
    /// How many commits may be in flight.
    var depth: Int { get }

    /// Sends one commit: of each shard all batches or, if its epoch has passed, no batch. A store of several shards takes one batch of each. Commits
    /// happen in the order in which they are sent, and one after a commit that has failed fails, too. The bytes are the caller's until the outcome is
    /// known. Waits only while the connection's buffer is full, or until a store without a server has written it. A failed commit can be sent again.
    func send(_ batches: [ShardBatch]) throws(StoreError)

    /// The outcome of the oldest commit that was sent: the numbers of the shards that refused it, since they have another owner now. Nil when
    /// `waker`, a descriptor, can be read before that. Throws if the commit has not happened, or if its outcome is unknown:
    /// `StoreError.Cause.unknown`. With `always`, the commit is on disk.
    func outcome(orUntil waker: Int32) throws(StoreError) -> [Int]?

    /// With `everysec`: returns once everything committed so far is on disk. After a failure it can be called again.
    func sync() throws(StoreError)

    /// Writes something small, to find out whether the store takes anything.
    func probe() throws(StoreError)

    /// Why the log cannot be made shorter. Nothing is lost, but files grow.
    var growth: StoreError? { get }

    /// The last number in the log of each of these shards with an epoch that has not passed.
    func lastLogged(in shards: [Shard]) throws(StoreError) -> [Int: Int64]

    /// The sessions of a shard with their versions, as the tables have them.
    func savedVersions(in shard: Shard) throws(StoreError) -> [SavedVersion]

    /// With no commit in flight, waits until `waker`, a descriptor, can be read, or so long at most. Throws once the connection has ended.
    func wait(until waker: Int32, atMost milliseconds: Int32) throws(StoreError)
}

extension StoreLog {
    package func sync() throws(StoreError) {}
    package func probe() throws(StoreError) {}
    package var growth: StoreError? { nil }
}

/// When an append is safe from a crash of the machine. It is safe from a crash of the process at once.
package enum Durability: String, Sendable, CaseIterable {
    /// When `append` returns.
    case always
    /// When `sync` returns, which is called once a second.
    case everysec
}

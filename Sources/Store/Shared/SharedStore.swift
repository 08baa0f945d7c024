// A store that several nodes share: its sessions are in shards, and each shard has one owner at a time. What a node writes is fenced:
// it counts only where the shard's epoch is still the one under which the node has taken it over.

/// A shard, as its owner knows it.
package struct Shard: Hashable, Sendable {
    package let number: Int
    /// Grows by one with every change of owner.
    package let epoch: Int64

    package init(_ number: Int, epoch: Int64) {
        self.number = number
        self.epoch = epoch
    }
}

/// What a shard's log gets in one commit.
package struct ShardBatch {
    package let shard: Shard
    /// Its place in the shard's log: one more than that of the batch before it.
    package let number: Int64
    package let bytes: UnsafeRawBufferPointer
    /// What its sessions send to others, in order.
    package let posted: [PostedMessage]
    /// The numbers of the messages to it that are carried out.
    package let taken: [Int64]

    package init(
        _ shard: Shard, number: Int64, bytes: UnsafeRawBufferPointer, posted: [PostedMessage] = [], taken: [Int64] = []
    ) {
        self.shard = shard
        self.number = number
        self.bytes = bytes
        self.posted = posted
        self.taken = taken
    }
}

/// What a shared store has saved of a session.
package struct SavedVersion: Sendable {
    package let name: String
    package let life: Int64?
    package let version: Int64

    package init(name: String, life: Int64?, version: Int64) {
        (self.name, self.life, self.version) = (name, life, version)
    }
}

/// Opens the parts of a store that several nodes share. Each part has a connection of its own and is used by one thread at a time.
package protocol SharedStore: Sendable {
    /// Where it is, for people; without a password.
    var place: String { get }
    /// The number of shards, which was decided when the database was made.
    var shards: Int { get }
    var durability: Durability { get }

    func openLog() throws(StoreError) -> any SharedLog

    func openTables() throws(StoreError) -> any SharedTables

    func openMail() throws(StoreError) -> any SharedMail
}

/// The logs of a node's shards.
package protocol SharedLog: AnyObject {
    /// Sends one commit: of each shard all batches or, where its epoch has passed, none. Commits are carried out in the order in which
    /// they are sent, and one after a commit that has failed fails, too. The bytes are the caller's until its outcome is known. Waits only
    /// while the connection takes no more.
    func send(_ batches: [ShardBatch]) throws(StoreError)

    /// The last number in the log of each of these shards whose epoch has not passed.
    func lastLogged(in shards: [Shard]) throws(StoreError) -> [Int: Int64]

    /// The sessions of a shard with their versions, as the tables have them.
    func savedVersions(in shard: Shard) throws(StoreError) -> [SavedVersion]

    /// The commits that were sent and whose outcome is not known.
    var underWay: Int { get }

    /// The outcome of the oldest one: the numbers of the shards that refused it, since another has them now. Nil when `waker`, a
    /// descriptor, can be read before that. Throws where the commit has not happened, or where nobody can know: `StoreError.Cause.unknown`.
    func outcome(orUntil waker: Int32) throws(StoreError) -> [Int]?

    /// With no commit under way, waits until `waker`, a descriptor, can be read. Throws once the connection has ended.
    func wait(until waker: Int32) throws(StoreError)

    /// Ends what waits, at once. Any thread may call it.
    func cancel()

    func close()
}

/// The tables that people read, and the loading of shards.
package protocol SharedTables: AnyObject {
    /// Writes rows of one shard in one transaction, from what is in its log. Throws `StoreError.Cause.lost`, and writes nothing, where its
    /// epoch has passed. The last call for a round says how far the tables now cover the shard's log, and deletes what is covered.
    func materialize(
        _ shard: Shard, coveringLogThrough covered: Int64?, _ write: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError)

    /// The last number in the shard's log; nil if the shard's epoch has passed.
    func lastLogged(in shard: Shard) throws(StoreError) -> Int64?

    /// Appends a batch to the shard's log, unless the shard's epoch has passed.
    func append(_ batch: ShardBatch) throws(StoreError)

    /// Yields the batches that the tables do not cover, in order.
    func loadLog(_ shard: Shard, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws

    /// Yields the sessions, first those that live and then those that were set aside, and then the newest history lines, at most so many,
    /// oldest first. Sessions that `SharedMail.leave` has noted are quarantined from here on. Throws `StoreError.Cause.lost` where the
    /// shard's epoch has passed.
    func load(
        _ shard: Shard, historyLines: Int, sessions: (SessionRow) throws -> Void, history: (HistoryRow) throws -> Void
    ) throws -> ShardSummary

    /// Does the work that can wait: history beyond its bound is deleted.
    func maintain(_ shards: [Shard]) throws(StoreError)

    /// Ends what waits, at once. Any thread may call it.
    func cancel()

    func close()
}

/// A shard's figures.
package struct ShardSummary: Sendable {
    /// The highest number in its log, or the one that its tables cover.
    package var lastLogged: Int64 = 0
    /// The last life given out; 0 if none was.
    package var lastLife: Int64 = 0
    /// One more than the highest serial of its lines.
    package var nextSerial: Int64 = 0

    package init() {}
}

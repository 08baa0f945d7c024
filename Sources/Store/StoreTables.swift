// The tables that people read, and the loading of shards. Used by one thread at a time.

package protocol StoreTables: StoreConnection {
    /// The rows that one transaction has at most, so that others wait no longer than they may.
    var rowsAtOnce: Int { get }

    /// Writes rows of one shard in one transaction, from its log. Throws `StoreError.Cause.lost`, and writes nothing, if its epoch has
    /// passed. A large change takes several calls. Only the last one passes how far the tables now cover the shard's log; the covered part of the log
    /// is deleted.
    func write(
        _ shard: Shard, coveringLogThrough covered: Int64?, _ rows: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError)

    /// The last number in the shard's log; nil if the shard's epoch has passed.
    func lastLogged(in shard: Shard) throws(StoreError) -> Int64?

    /// Appends a batch to the shard's log, unless the shard's epoch has passed.
    func append(_ batch: ShardBatch) throws(StoreError)

    /// Yields the batches that the tables do not cover, in order.
    func loadLog(_ shard: Shard, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws

    /// The serial number of the newest history entry; nil without entries.
    func newestEntry(in shard: Shard) throws(StoreError) -> Int64?

    /// Yields the summary; the sessions, first those that live and then those that were set aside; and the newest blocks of history, oldest
    /// first: as few as have `entries` entries, or all. Sessions of trap notes are quarantined from here on. An error thrown by a body
    /// ends it. Throws `StoreError.Cause.lost` if the shard's epoch has passed.
    func load(
        _ shard: Shard, entries: Int, summary: (ShardSummary) throws -> Void, sessions: (SessionRow) throws -> Void,
        history: (HistoryBlock) throws -> Void
    ) throws

    /// The damage and other things found since the store was opened, for the operator. Each is returned once.
    func takeFindings() -> [Finding]

    /// Returns once the written rows are on disk.
    func sync() throws(StoreError)

    /// Does one bounded piece of the work that can wait: history beyond its bound is deleted, files become smaller. Returns whether there
    /// is more.
    func maintain(_ shards: [Shard]) throws(StoreError) -> Bool
}

extension StoreTables {
    package func takeFindings() -> [Finding] { [] }
    package func sync() throws(StoreError) {}
}

/// Takes the rows of one transaction, as a stream: a row's memory is the caller's, and valid until the call returns.
package protocol TableWriter: AnyObject {
    /// Writes the session's latest image over any earlier one. Ascending row numbers are fastest.
    func session(_ row: SessionRow) throws(StoreError)

    /// Deletes a session's row, live or set aside. A store finds it by its number or by its name.
    func drop(_ id: Int64, named name: Text) throws(StoreError)

    /// Sets a session aside that could not be restored, with the reason. Its row may get another number, which is returned, so that its
    /// own is free for a live session. A row that was set aside before keeps its number.
    func writeSetAside(_ row: SessionRow, because problem: String) throws(StoreError) -> Int64

    /// Writes a block of the history. Serial numbers ascend over all calls and all runs of the daemon; a repeated block changes nothing.
    func history(_ block: HistoryBlock) throws(StoreError)

    /// Writes how often an entry has happened, over any earlier number. The entry may be gone; then so is this, soon.
    func `repeat`(_ row: RepeatRow) throws(StoreError)

    /// Remembers a number under this name, once the transaction is committed. `covered` and `identity` are the store's own.
    func remember(_ key: String, _ value: Int64) throws(StoreError)
}

/// A shard, as its owner knows it. An owner's writes count only while the shard's epoch is still the owner's.
package struct Shard: Hashable, Sendable {
    package let number: Int
    /// Grows by one with every change of owner.
    package let epoch: Int64

    package init(_ number: Int, epoch: Int64) {
        self.number = number
        self.epoch = epoch
    }

    /// The only shard of a store that no other daemon uses.
    package static let only = Shard(0, epoch: 1)
}

/// A shard's numbers, as they are loaded.
package struct ShardSummary: Sendable {
    /// The highest number in its log, or the one that its tables cover.
    package var lastLogged: Int64 = 0
    /// The last life given out; 0 if none was.
    package var lastLife: Int64 = 0
    /// One more than the highest serial of its lines; 0 if that is not known.
    package var nextSerial: Int64 = 0
    /// One more than the highest row number of a live session; 0 where rows have no numbers.
    package var slotsInUse = 0

    package init() {}
}

/// The version of a session, as it is saved or as a trap has left it.
package struct SavedVersion: Sendable {
    package let name: String
    /// Distinguishes it from others of the same name; nil if unknown.
    package let life: Int64?
    package let version: Int64

    package init(name: String, life: Int64?, version: Int64) {
        (self.name, self.life, self.version) = (name, life, version)
    }
}

// MARK: - Findings of a start that the operator should know, although the daemon runs.

/// A sentence for the log.
package struct Finding: Sendable {
    package let sentence: String
    /// Whether data is lost.
    package let isLoss: Bool

    package init(sentence: String, isLoss: Bool) {
        self.sentence = sentence
        self.isLoss = isLoss
    }
}

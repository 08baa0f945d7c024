// What the daemon needs of whatever keeps its sessions. A store knows no flows; what is above it knows no SQL.

/// Keeps batches, and the tables that people read. One thread uses it at a time; which one may change.
///
/// What must not be lost is appended to a log, as bytes that only the caller understands. The tables follow when there is time
/// (`materialize`), and say how far of the log they reach. So the truth is the tables plus the log behind that point: what `load`
/// yields.
package protocol Store: AnyObject {
    /// Where it is, as the operator knows it.
    var directory: String { get }
    var durability: Durability { get }

    // MARK: The log

    /// Appends batches, all or none, and returns the number of the last; numbers only grow. With `always` they are on disk when this
    /// returns. After a failure the same batches can be appended again.
    func append(_ batches: [UnsafeRawBufferPointer]) throws(StoreError) -> Int64

    /// What has been appended so far is on disk when this returns.
    func sync() throws(StoreError)

    // MARK: The tables

    /// One transaction of rows, from what has been appended. A large change is written in several calls; only the last one says how
    /// far of the log the tables now contain everything.
    func materialize(
        coveringLogThrough covered: Int64?, _ write: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError)

    // MARK: What is there

    /// Yields the sessions in order of their places, then those that were set aside; the history's newest lines, oldest first; and
    /// the batches that the tables do not contain, in order. Whatever a body throws ends it.
    func load(
        sessions: (SessionRow) throws -> Void, history: (HistoryRow) throws -> Void,
        log: (Int64, UnsafeRawBufferPointer) throws -> Void
    ) throws

    /// The batches alone.
    func loadLog(_ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws

    /// How many places there are up to the last one that is taken.
    func slotsInUse() throws -> Int

    /// A number that was remembered under this name; nil if there is none.
    func number(_ key: String) throws(StoreError) -> Int64?

    /// What its operator should know of how it was found, though it goes on. Each is told once.
    func takeFindings() -> [Finding]

    // MARK: Upkeep

    /// One bounded piece of what can wait until there is nothing else to do. Whether there is more.
    func maintain() throws(StoreError) -> Bool

    /// What keeps the maintenance from succeeding. Nothing is lost by it, but files grow.
    var trouble: StoreError? { get }

    /// Begins a copy of everything. There is one at a time, and what is at the path is never replaced.
    func beginBackup(to path: String) throws(StoreError) -> any Backup

    /// A clean end. Without it nothing is lost either.
    func close() throws(StoreError)
}

extension Store {
    package func append(_ entries: UnsafeRawBufferPointer) throws(StoreError) -> Int64 { try append([entries]) }

    package func materialize(_ write: (any TableWriter) throws(StoreError) -> Void) throws(StoreError) {
        try materialize(coveringLogThrough: nil, write)
    }
}

/// Takes the rows of one `materialize`. It is a stream: a row's memory is the caller's, and good until the call returns.
package protocol TableWriter: AnyObject {
    /// The session's latest image, in place of any earlier one. In ascending order of ids it costs least.
    func session(_ row: SessionRow) throws(StoreError)

    /// The session is gone; so is one that had been set aside, by the place that it was given then.
    func drop(_ id: Int64) throws(StoreError)

    /// Keeps a session that cannot be restored, with the reason, out of the way of those that live: it is given a negative place,
    /// which is returned, and its own is free. One that has been set aside before keeps its negative place.
    func keepUnrestored(_ row: SessionRow, because problem: String) throws(StoreError) -> Int64

    /// A line of the history. Serials ascend, over all calls and all runs of the daemon; one that comes again replaces itself.
    func history(_ row: HistoryRow) throws(StoreError)

    /// A number to be found again under this name, once the transaction counts. `covered` and `identity` are the store's own.
    func remember(_ key: String, _ value: Int64) throws(StoreError)
}

/// A copy of the store under way: whoever appends takes a step now and then, and appends between the steps. Dropped before it is
/// complete, it is gone.
package protocol Backup: AnyObject {
    /// How much of it there is so far, from 0 to 1.
    var progress: Double { get }
    /// Of the file, once it is in its place.
    var size: Int { get }

    /// Copies some of it. Whether there is more; after a failure there is no backup.
    func copy() throws(StoreError) -> Bool

    /// Once all is copied: brings it to disk and gives it its name. Takes a while; any thread may do it.
    func complete() throws(StoreError)

    /// As if it had not been begun.
    func cancel()
}

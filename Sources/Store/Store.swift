// The store, as the journal sees it. A store knows no flows, and the code above it knows no SQL.

/// Stores batches, and the tables that people read. One thread uses it at a time, not always the same.
///
/// What must not be lost is appended to a log, as bytes that only the caller understands. The tables follow when there is time
/// (`materialize`), and record how far of the log they reach. So the truth is the tables plus the log from there on, which is what
/// `load` yields.
package protocol Store: AnyObject {
    /// Its directory, as the operator named it.
    var directory: String { get }
    var durability: Durability { get }

    // MARK: The log

    /// Appends batches, all or none, and returns the number of the last; numbers only grow. With `always` they are on disk when this
    /// returns. After a failure the same batches can be appended again.
    func append(_ batches: [UnsafeRawBufferPointer]) throws(StoreError) -> Int64

    /// Returns once everything appended so far is on disk.
    func sync() throws(StoreError)

    // MARK: The tables

    /// Writes rows in one transaction, from what has been appended. A large change takes several calls; only the last one says how
    /// far the tables now cover the log.
    func materialize(
        coveringLogThrough covered: Int64?, _ write: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError)

    // MARK: Loading

    /// Yields the sessions by row number, then those that were set aside; the newest history lines, oldest first; and the batches
    /// that the tables do not cover, in order. An error thrown by a body ends it.
    func load(
        sessions: (SessionRow) throws -> Void, history: (HistoryRow) throws -> Void,
        log: (Int64, UnsafeRawBufferPointer) throws -> Void
    ) throws

    /// The batches alone.
    func loadLog(_ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws

    /// One more than the highest row number of a live session.
    func slotsInUse() throws -> Int

    /// A number remembered under this name; nil if there is none.
    func number(_ key: String) throws(StoreError) -> Int64?

    /// What was found on opening, for the log. Each finding is returned once.
    func takeFindings() -> [Finding]

    // MARK: Maintenance

    /// Does one bounded piece of the work that can wait until the store is idle. Returns whether there is more.
    func maintain() throws(StoreError) -> Bool

    /// Why maintenance fails. Nothing is lost, but files grow.
    var trouble: StoreError? { get }

    /// Begins a copy of everything, one at a time. It never replaces what is at the path.
    func beginBackup(to path: String) throws(StoreError) -> any Backup

    /// Closes the store cleanly. Without it nothing is lost either.
    func close() throws(StoreError)
}

extension Store {
    package func append(_ entries: UnsafeRawBufferPointer) throws(StoreError) -> Int64 { try append([entries]) }

    package func materialize(_ write: (any TableWriter) throws(StoreError) -> Void) throws(StoreError) {
        try materialize(coveringLogThrough: nil, write)
    }
}

/// Takes the rows of one `materialize`, as a stream: a row's memory is the caller's, and valid until the call returns.
package protocol TableWriter: AnyObject {
    /// Writes the session's latest image over any earlier one. Ascending row numbers are fastest.
    func session(_ row: SessionRow) throws(StoreError)

    /// Deletes a session's row, live or set aside. Its name is nil in a log from before drops had names, which no shared store has.
    func drop(_ id: Int64, named name: Text?) throws(StoreError)

    /// Sets a session aside that could not be restored, with the reason: its row moves to a number below zero, which is returned, so
    /// that its own is free for a live session. A row that was set aside before keeps its number.
    func keepUnrestored(_ row: SessionRow, because problem: String) throws(StoreError) -> Int64

    /// Writes a history line. Serials ascend over all calls and all runs of the daemon; a repeated one overwrites itself.
    func history(_ row: HistoryRow) throws(StoreError)

    /// Remembers a number under this name, once the transaction is committed. `covered` and `identity` are the store's own.
    func remember(_ key: String, _ value: Int64) throws(StoreError)
}

/// A running copy of the store, made in steps between appends. Released before it is complete, it leaves nothing.
package protocol Backup: AnyObject {
    /// How much is copied, from 0 to 1.
    var progress: Double { get }
    /// The finished file's size, in bytes.
    var size: Int { get }

    /// Copies one piece, and returns whether there is more. A failure ends the backup.
    func copy() throws(StoreError) -> Bool

    /// Once all is copied: syncs the file and gives it its name. This takes a while, and any thread may call it.
    func complete() throws(StoreError)

    /// Gives the backup up, and leaves nothing.
    func cancel()
}

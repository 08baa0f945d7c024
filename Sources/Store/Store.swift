// The storage interface, as the journal sees it. A store knows no flows, and the code above it knows no SQL.

/// A number of shards. Each has a log, and rows in the tables that people read.
///
/// Durable changes are appended to the log, as bytes that only the caller understands. The tables follow when there is time, and record how far of
/// the log they reach: the truth is the tables plus the log from there on. A directory has one shard, which the daemon owns from the moment it holds
/// the directory's lock. A database has many, which come and go.
package protocol Store: AnyObject, Sendable {
    /// A directory as the operator named it, or a database without its password.
    var place: String { get }
    var shardCount: Int { get }
    var durability: Durability { get }
    /// Whether the log and the tables use one connection: then one thread at a time uses them.
    var hasOneConnection: Bool { get }
    /// A shard keeps at least this many of its newest history entries.
    var historyCapacity: Int64 { get }

    func openLog() throws(StoreError) -> any StoreLog
    func openTables() throws(StoreError) -> any StoreTables

    /// Why the next start would not find what is written now; nil if it would. Asks the file system, which may not answer: not for the loop.
    var displacement: StoreError? { get }

    /// Nil if no other daemon uses the store.
    var sharing: (any StoreSharing)? { get }

    /// Why the daemon makes no backups of it, and what does; nil if it makes them.
    var whyNoBackup: String? { get }
    /// Starts a copy of everything, one at a time. It never replaces an existing file at the path.
    func beginBackup(to path: String) throws(StoreError) -> any Backup

    /// Ends all waits of the store's connections, now and later, also of those that are being opened. Any thread may call it.
    func cancelConnections()

    /// Closes the store cleanly, once its log and tables are closed. Without it nothing is lost either.
    func close() throws(StoreError)
}

extension Store {
    package var displacement: StoreError? { nil }
    package var sharing: (any StoreSharing)? { nil }
    package var whyNoBackup: String? { nil }
    package func cancelConnections() {}
}

/// A part of the store that a thread has open.
package protocol StoreConnection: AnyObject {
    func close()
}

extension StoreConnection {
    package func close() {}
}

/// Operations of a store that several daemons use.
package protocol StoreSharing: Sendable {
    func openMessages() throws(StoreError) -> any StoreMessages
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
}

// A store in PostgreSQL, which several nodes share.

import Postgres
import Store

package final class PostgresStore: Store, StoreSharing {
    /// A URI or keywords, as libpq takes them.
    private let address: String
    package let place: String
    package let shardCount: Int
    package let durability: Durability
    private let historyPerShard: Int
    package var historyCapacity: Int64 { Int64(historyPerShard) }
    private let lease: Duration
    private let node: String
    /// Nil for those of each connection's purpose.
    private let timeouts: Timeouts?
    /// Of all connections.
    private let interrupter = Interrupter()
    private let logServer = LogServer()

    /// Checks that the database is gamed's, and of this version. `lease` is how long a node's lease lasts; `node` is the node's id, by which others
    /// find its sessions of the database. Waits up to `timeout` for a database that is not there yet. Refuses a database with sessions that are
    /// being moved, or were, unless `isMoving`.
    package init(
        _ address: String, durability: Durability, historyCapacity: Int, lease: Duration = .seconds(3), node: String = "",
        timeouts: Timeouts? = nil, isMoving: Bool = false, timeout: Duration = .zero, onWaiting: (String) -> Void = { _ in }
    ) throws(StoreError) {
        let found = try askingAtStart { () throws(PostgresError) in
            let connection = try Connection.open(address, timeouts ?? Timeouts(), waiting: timeout) { onWaiting("\($0)") }
            defer { connection.close() }
            return (connection.server, try SchemaSetup.inspect(connection))
        }
        guard let shards = try found.1.shards(at: found.0) else {
            throw StoreError(
                .foreign,
                "\(found.0) has no tables of gamed; `gamed --store … --init` makes them, once, with the rights to do so")
        }
        if let mark = found.1.mark, !isMoving { throw mark.refusal(at: found.0) }
        (self.address, self.durability, self.lease, self.node) = (address, durability, lease, node)
        self.timeouts = timeouts
        (place, shardCount) = (found.0, shards)
        historyPerShard = max(50, historyCapacity / shards)
    }

    package func openLog() throws(StoreError) -> any StoreLog {
        try PostgresLog(address, durability, of: node, timeouts ?? Timeouts(), interrupter, logServer)
    }

    package func openTables() throws(StoreError) -> any StoreTables {
        try PostgresTables(
            address, durability, historyPerShard: historyPerShard, of: node, (timeouts ?? Timeouts()).network, interrupter)
    }

    package var sharing: (any StoreSharing)? { self }
    package func openMessages() throws(StoreError) -> any StoreMessages {
        try PostgresMail(address, interrupter)
    }

    package var hasOneConnection: Bool { false }
    package func cancelConnections() { interrupter.interrupt() }
    package func close() throws(StoreError) {}

    package var whyNoBackup: String? {
        "sessions are in \(place), which has its own backups: pg_dump copies it while all nodes run"
    }
    package func beginBackup(to path: String) throws(StoreError) -> any Backup {
        throw StoreError(.unusable, whyNoBackup ?? "")
    }

    package func openRegistry() throws(StoreError) -> PostgresRegistry {
        try PostgresRegistry(address, lease: lease, timeouts, interrupter, logServer)
    }
}

// MARK: - The database's name for a node's sessions, so that a node which ends another can end its sessions, too.

enum BackendName {
    static func log(of node: String) -> String { "gamed log \(node)" }
    static func tables(of node: String) -> String { "gamed tables \(node)" }
}

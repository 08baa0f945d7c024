// Which server has a node's log: after a failover, the log's connection may still be to the old one.

import Postgres
import Synchronization

/// The server of the log's connection, for the registry's. Rows that a server lacks are found when the log connects to it: a shard that was
/// released before is loaded again, and not handed over.
final class LogServer: Sendable {
    private struct Connections {
        var last: ServerStart?
        /// Whether the last one is to another server than the one before, and the registry does not know yet.
        var hasChanged = false
    }

    private let connections = Mutex(Connections())

    /// The log has a new connection.
    func connected(to server: ServerStart) {
        connections.withLock { connections in
            if let last = connections.last, last != server { connections.hasChanged = true }
            connections.last = server
        }
    }

    /// Whether a registry on this server may hand shards over. No after another server came, once: all released shards are loaded again then.
    func mayHandOver(on server: ServerStart) -> Bool {
        connections.withLock { connections in
            defer { connections.hasChanged = false }
            // Without a log, nothing was written.
            guard let last = connections.last else { return true }
            return last == server && !connections.hasChanged
        }
    }
}

/// When a server was started: a replica differs from its primary, and a server from itself before its last start.
struct ServerStart: Equatable {
    private let microseconds: Int64

    private static let question = Statement(
        "server_start", "SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint")

    init(_ connection: Connection) throws(PostgresError) {
        try connection.prepare([Self.question])
        guard let microseconds = try connection.execute(Self.question, []).int64(0, 0) else {
            throw PostgresError(.refused, "\(connection.server) does not tell when it was started")
        }
        self.microseconds = microseconds
    }
}

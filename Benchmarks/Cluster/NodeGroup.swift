// Nodes of gamed over one database of a private PostgreSQL.

import Foundation
import PostgresServer
import TestSupport

final class NodeGroup {
    let server: PostgresServer
    let database: String
    private let folder: BenchmarkFolder
    private(set) var nodes: [ClusterPeer] = []

    init(_ server: PostgresServer, in folder: BenchmarkFolder, count: Int) throws {
        (self.server, self.folder) = (server, folder)
        database = try server.newDatabase()
        let made = try run(BenchmarkFolder.gamedProgram, ["--store", server.uri(database), "--init"])
        guard made.status == 0 else { throw BenchmarkError("gamed --init fails: \(made.output)") }
        for number in 0..<count { nodes.append(try start(number, port: try freePort())) }
        try waitUntilBalanced()
    }

    private func start(_ number: Int, port: Int) throws -> ClusterPeer {
        let options = [
            "--store", server.uri(database), "--durability", "always", "--listen", "127.0.0.1:\(port)", "--trust-loopback",
        ]
        return ClusterPeer(peer: try folder.gamed(options, as: "\(database)-\(number)"), port: port)
    }

    /// Starts one again that has ended, where it was.
    func restart(_ number: Int) throws {
        nodes[number] = try start(number, port: nodes[number].port)
        try waitUntilBalanced()
    }

    /// Waits until all shards have owners, in equal parts.
    func waitUntilBalanced() throws {
        let isSettled = {
            try self.ask(
                """
                SELECT count(*) = \(self.nodes.count) AND max(part) - min(part) <= 1 AND sum(part) = (SELECT count(*) FROM shard)
                FROM (SELECT count(*) AS part FROM shard JOIN node ON owner = incarnation WHERE ended IS NULL GROUP BY owner) AS parts
                """) == "t"
        }
        guard try eventually(isSettled) else { throw BenchmarkError("the shards are not shared out evenly after two minutes") }
    }

    func ask(_ sql: String) throws -> String { try server.ask(sql, in: database) }

    /// Waits until the tables have all that is in the logs, so that no measurement pays for the one before.
    func catchUp() throws {
        let isDone = { self.nodes.allSatisfy { $0.figure("tables_backlog_bytes") == 0 } }
        guard eventually(isDone) else { throw BenchmarkError("the tables stay behind for two minutes") }
    }
}

/// A node, of gamed or of Redis, and where the others send its clients.
struct ClusterPeer {
    let peer: Peer
    let port: Int

    /// A number of INFO.
    func figure(_ name: String) -> Double {
        let info = PipelinedClient(peer.socketPath)?.text(["INFO"]) ?? ""
        let line = info.split(separator: "\r\n").first { $0.hasPrefix(name + ":") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) } ?? .nan
    }
}

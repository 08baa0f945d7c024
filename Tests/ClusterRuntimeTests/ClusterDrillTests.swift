// Acts out docs/TROUBLE.md for clusters: something breaks, and gamectl reports it.

import Foundation
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)")) struct `The operator of a cluster` {
    private func gamectl(_ node: RunningDaemon, _ words: String...) throws -> (output: String, status: Int32) {
        try run(productsDirectory.appending(path: "gamectl").path, ["--socket", node.socketPath] + words)
    }

    private func says(_ words: String, _ node: RunningDaemon) throws -> Bool {
        try eventually {
            let health = try gamectl(node, "health")
            return health.status == 1 && health.output.contains(words)
        }
    }

    @Test func `The health command reports a database that is down or refuses the password until it is back`() throws {
        let server = try PostgresServer(fsync: false)
        let cluster = try TestCluster([:], on: server, shards: 4)
        try cluster.start("a")
        let node = try cluster.node("a")
        #expect(try gamectl(node, "health").status == 0)

        try server.stop()
        let sentence =
            "the database at 127.0.0.1:\(server.port) does not answer: connection refused; start it, gamed resumes by itself"
        #expect(try says(sentence, node))
        let doctor = try gamectl(node, "doctor").output
        #expect(doctor.contains(sentence) && !doctor.contains("make the disk writable"), "\(doctor)")
        #expect(try node.answer("STATE", "room").sentence == sentence)

        try server.start()
        #expect(try eventually { try gamectl(node, "health").status == 0 })
        _ = try server.ask("ALTER ROLE postgres PASSWORD 'another'")
        _ = try server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'gamed%'")
        #expect(try says("the database at 127.0.0.1:\(server.port) refuses the password", node))
        let refused = try node.answer("STATE", "room").sentence ?? ""
        #expect(!refused.contains("postgres") && !refused.contains("FATAL"), "\(refused)")
        _ = try server.ask("ALTER ROLE postgres PASSWORD '\(PostgresServer.password)'")
        #expect(try eventually { try gamectl(node, "health").status == 0 })
    }

    @Test func `A second node at a live node's address is refused, and a killed node can restart there`() throws {
        // On a busy machine the first node's lease of 3 s may expire before it is renewed: then the second takes its place.
        let pair = try again(while: { $0.double.isRunning }) {
            let cluster = try TestCluster([:], shards: 4)
            try cluster.start("a")
            let double = try cluster.startNode("a", at: cluster.server.uri(cluster.database))
            _ = double.waitUntilUp()
            _ = eventually(within: 10) { !double.isRunning }
            return (cluster: cluster, double: double)
        }
        let (cluster, double) = pair
        let first = try cluster.node("a")
        #expect(double.waitForStatus() == 78)
        #expect(
            double.errors.contains("another node is alive at a:1: give each node its own address"), "\(double.errors)")
        #expect(try cluster.server.ask("SELECT count(*) FROM node", in: cluster.database) == "1")

        first.killIt()
        // The killed node's lease lasts until the second has been seen to wait for it, however slowly that one starts.
        _ = try cluster.server.ask("UPDATE node SET lease_until = now() + interval '1 hour'", in: cluster.database)
        try cluster.begin("a")
        let second = try cluster.node("a")
        #expect(eventually { second.errors.contains("this node joins when that lease expires") })
        _ = try cluster.server.ask("UPDATE node SET lease_until = now()", in: cluster.database)
        try cluster.settle()
        #expect(try cluster.server.ask("SELECT count(*) FROM node WHERE ended IS NULL", in: cluster.database) == "1")
    }
}

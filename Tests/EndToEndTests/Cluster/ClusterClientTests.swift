// Redis Cluster clients and gamectl against several nodes, with their own PostgreSQL server.

import PostgresServer
import TestSupport
import Testing

@Suite struct `A cluster as its clients see it` {
    @Test(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"), .timeLimit(.minutes(4)))
    func `Redis Cluster clients find a cluster, and continue after a node was stopped and another killed`() async throws {
        let server = try PostgresServer(fsync: false)
        let (output, status) = try await python("Tests/Cluster/cluster_clients.py", [server.uri(try server.newDatabase())])
        #expect(status == 0, "\(output)")
    }

    @Test(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"), .timeLimit(.minutes(4)))
    func `A cluster accepts no retried event twice while its database restarts and replies are lost`() async throws {
        let (output, status) = try await python("Tests/Cluster/repeats.py")
        #expect(status == 0, "\(output)")
    }
}

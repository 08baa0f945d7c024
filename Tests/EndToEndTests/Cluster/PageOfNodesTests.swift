// Tests/Page/nodes.py: the page of several cluster nodes with their own PostgreSQL server.

import PostgresServer
import TestSupport
import Testing

@Suite struct `The page of each node` {
    @Test(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"), .timeLimit(.minutes(4)))
    func `Each node's page shows the sessions of all nodes, and sends events to their owners`() async throws {
        let server = try PostgresServer(fsync: false)
        let (output, status) = try await python("Tests/Page/nodes.py", [server.uri(try server.newDatabase())])
        #expect(status == 0, "\(output)")
    }
}

// The page over several nodes of a cluster, and a PostgreSQL of their own: Tests/Page/nodes.py.

import PostgresServer
import TestSupport
import Testing

@Suite struct `The page of each node` {
    @Test(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"), .timeLimit(.minutes(4)))
    func `shows the sessions of all, and sends to whoever has them`() async throws {
        let server = try PostgresServer(fsync: false)
        let (output, status) = try await python("Tests/Page/nodes.py", [server.uri(try server.newDatabase())])
        #expect(status == 0, "\(output)")
    }
}

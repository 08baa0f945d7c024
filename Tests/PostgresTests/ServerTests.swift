// The private server itself: what other tests count on.

import Foundation
import Postgres
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)")) struct `A server of a test's own` {
    @Test func `keeps what is committed when it is killed, and answers at the same place`() throws {
        let server = try PostgresServer()
        let connection = try Connection(server.uri())
        try connection.run("CREATE TABLE kept (number int); INSERT INTO kept VALUES (1)")
        server.kill()
        #expect(throws: PostgresError.self) { try connection.run("SELECT 1") }
        try server.start()
        #expect(try server.ask("SELECT number FROM kept") == "1")
        try server.stop(.immediate)
        try server.start()
        #expect(try Connection(server.localUri()).run("SELECT number FROM kept")?.text(0, 0) == "1")
        try server.stop(.smart)
    }

    @Test func `is gone with its folder`() throws {
        var server: PostgresServer? = try PostgresServer(fsync: false)
        let folder = try #require(server?.folder)
        server = nil
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}

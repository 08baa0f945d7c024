// A node that has had nothing to do while the database was away answers its first request as any other.

import Foundation
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A node that is idle while the database restarts` {
    @Test func `connects again without work, and the first event succeeds`() throws {
        let server = try PostgresServer(fsync: false)
        let cluster = try TestCluster(
            ["toggle": #"{ id: "toggle", initial: "on", states: { on: { on: { go: "on" } } } }"#], on: server)
        try cluster.start("a")
        try cluster.ask("NEW", "room", "toggle")
        try server.stop()
        try server.start()
        let logs = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'gamed log %'"
        #expect(eventually(30) { (try? server.ask(logs, in: cluster.database)) == "1" }, "its writer has no connection")
        // It answers again once it has its lease.
        try cluster.ask("STATE", "room")
        let answer = try cluster.node("a").answer("SEND", "room", "go")
        #expect(!answer.isError, "\(answer)")
    }
}

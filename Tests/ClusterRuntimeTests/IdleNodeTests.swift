// A node that was idle while the database restarted serves its next request.

import Foundation
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A node that is idle while the database restarts` {
    @Test func `An idle node reconnects after the database restarts, and its next event succeeds`() throws {
        let server = try PostgresServer(fsync: false)
        let cluster = try TestCluster(
            ["toggle": #"{ id: "toggle", initial: "on", states: { on: { on: { go: "on" } } } }"#], on: server)
        try cluster.start("a")
        try cluster.ask("NEW", "room", "toggle")
        try server.stop()
        try server.start()
        let logs = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'gamed log %'"
        #expect(eventually { (try? server.ask(logs, in: cluster.database)) == "1" }, "its writer has no connection")
        // The node serves requests again once it has its lease.
        try cluster.ask("STATE", "room")
        let answer = try cluster.node("a").answer("SEND", "room", "go")
        #expect(!answer.isError, "\(answer)")
    }
}

// A shard with a long history: the node that loads it answers meanwhile. The client beside each node measures how long it waits.

import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A shard with a long history` {
    @Test func `is loaded in pieces, and no client waits for all of it`() throws {
        let cluster = try TestCluster(
            ["toggle": #"{ id: "toggle", initial: "on", states: { on: { on: { go: "on" } } } }"#], shards: 1,
            environment: ["GAMED_LIMIT": "history=1000000 session-history=1000"])
        try cluster.start("a")
        try cluster.ask("NEW", "room", "toggle")
        let isWritten = "SELECT count(*) = 1 FROM sessions"
        #expect(try eventually(30) { try cluster.server.ask(isWritten, in: cluster.database) == "t" })
        cluster.stop("a")
        let rows = """
            INSERT INTO history (shard, serial, name, life, seq, version, at, what, flow, source, event, from_state, to_state)
            SELECT 0, n + 100, 'room', sessions.life, n + 1, n, now(), 'taken', 'toggle', 'ui', 'go', 'on', 'on'
            FROM sessions, generate_series(1, 100000) AS n
            """
        try cluster.server.ask(rows, in: cluster.database)
        try cluster.start("b")
        let lines = try cluster.ask("HISTORY", "room", "COUNT", "1000").list
        #expect(lines.count == 1_000)
        #expect(lines.first?["version"]?.integer == 100_000)
    }
}

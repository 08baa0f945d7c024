// A shard with a long history: the node that loads it answers meanwhile. The client beside each node measures how long it waits.

import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A shard with a long history` {
    @Test func `A shard with a long history is loaded in pieces, and no client waits for all of it`() throws {
        let cluster = try TestCluster(
            ["toggle": #"{ id: "toggle", initial: "on", states: { on: { on: { go: "on" } } } }"#], shards: 1,
            environment: ["GAMED_LIMIT": "history=1000000 session-history=1000"])
        try cluster.start("a")
        try cluster.ask("NEW", "room", "toggle")
        let isWritten = "SELECT count(*) = 1 FROM sessions"
        #expect(try eventually { try cluster.server.ask(isWritten, in: cluster.database) == "t" })
        cluster.stop("a")
        let rows = """
            INSERT INTO history_blocks
            SELECT 0, min(n) + 100, max(n) + 100, count(*), '["taken", "toggle", "ui", "on", "go"]',
              json_agg(json_build_array(n + 100, 'room', life, n + 1, n, 1700000000000, 0, 1, 2, 3, 3, 4) ORDER BY n)
            FROM sessions, generate_series(1, 100000) AS n GROUP BY life, n / 250
            """
        try cluster.server.ask(rows, in: cluster.database)
        try cluster.start("b")
        let lines = try cluster.ask("HISTORY", "room", "COUNT", "1000").list
        #expect(lines.count == 1_000)
        #expect(lines.first?["version"]?.integer == 100_000)
    }
}

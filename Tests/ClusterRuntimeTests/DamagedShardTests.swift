// A damaged shard does not affect the other shards of its node.

import Foundation
import PostgresServer
import TestSupport
import Testing

private let counter = """
    { id: "counter", initial: "on", context: { hits: 0 }, states: { on: { on: { hit: { actions: { assign: { hits: "hits + 1" } } } } } } }
    """

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A shard that cannot be read` {
    private let cluster: TestCluster
    private let names = (0..<12).map { "room-\($0)" }

    init() throws {
        cluster = try TestCluster(["counter": counter], shards: 4)
        try cluster.start("a")
        for name in names { try cluster.ask("NEW", name, "counter") }
        #expect(try eventually { try ask("SELECT count(*) FROM sessions") == "\(names.count)" })
        cluster.stop("a")
    }

    private func ask(_ sql: String) throws -> String { try cluster.server.ask(sql, in: cluster.database) }

    private func startWithDamage() throws {
        try cluster.begin("b")
        try cluster.settle(serving: false)
    }

    /// The names in a shard, and those in others.
    private func names(in shard: String) throws -> (there: [String], elsewhere: [String]) {
        let there = Set(try ask("SELECT name FROM sessions WHERE shard = \(shard)").split(separator: "\n").map(String.init))
        return (names.filter(there.contains), names.filter { !there.contains($0) })
    }

    @Test func `A shard that cannot be read affects no other, is reported once, and is served once repaired`() throws {
        let shard = try ask("SELECT shard FROM sessions ORDER BY shard LIMIT 1")
        let (there, elsewhere) = try names(in: shard)
        _ = try ask("INSERT INTO log SELECT id, epoch, 1000000, 'nonsense', 0 FROM shard WHERE id = \(shard)")
        try startWithDamage()
        for name in elsewhere {
            try cluster.ask("SEND", name, "hit")
            #expect(try cluster.value("hits", of: name) == 1)
        }
        let node = try cluster.node("b")
        #expect(eventually { node.errors.contains("cannot load shard \(shard)") })
        let answer = try node.answer("SEND", there[0], "hit")
        #expect(answer.code == .clusterDown)
        #expect(
            answer.sentence?.contains("of shard \(shard) in the table 'log' does not match its checksum") == true, "\(answer)")
        _ = try ask("DELETE FROM log WHERE shard = \(shard) AND seq = 1000000")
        try cluster.ask("SEND", there[0], "hit")
        #expect(try cluster.value("hits", of: there[0]) == 1)
        #expect(node.errors.split(separator: "cannot load shard \(shard)").count == 2, "it is reported once")
    }

    /// Its sessions are read before its history, at each try.
    @Test
    func `A shard with a damaged history is refused with the reason, also after further tries, and is served once repaired`()
        throws
    {
        let shard = try ask("SELECT shard FROM sessions ORDER BY shard LIMIT 1")
        let there = try names(in: shard).there
        _ = try ask("UPDATE history_blocks SET checksum = 1 WHERE shard = \(shard)")
        try startWithDamage()
        let node = try cluster.node("b")
        try #require(eventually { node.errors.contains("cannot load shard \(shard)") })
        func hasReason(_ answer: Answer) -> Bool {
            answer.code == .clusterDown && answer.sentence?.contains("'history_blocks' does not match its checksum") == true
        }
        // A node that stood still for 3 s has no lease, and loads its shards again.
        let answers = try again(while: { $0.contains { $0.sentence?.contains("no lease") == true } }) {
            var answers: [Answer] = []
            // The second try fails half a second later.
            let end = Date(timeIntervalSinceNow: 2)
            while Date() < end {
                answers.append(try node.answer("SEND", there[0], "hit"))
                Thread.sleep(forTimeInterval: 0.02)
            }
            #expect(try eventually { try hasReason(node.answer("SEND", there[0], "hit")) })
            return answers
        }
        for answer in answers { try #require(hasReason(answer), "\(answer)") }
        _ = try ask("UPDATE history_blocks SET checksum = NULL WHERE shard = \(shard)")
        try cluster.ask("SEND", there[0], "hit")
        #expect(try cluster.value("hits", of: there[0]) == 1)
    }

    @Test func `A session whose row was changed by hand is quarantined, until RETRY accepts the row`()
        throws
    {
        _ = try ask(
            "UPDATE sessions SET state = 'off' WHERE name = 'room-3'; UPDATE sessions SET version = 7 WHERE name = 'room-5'")
        try cluster.start("b")
        for name in names where name != "room-3" && name != "room-5" {
            try cluster.ask("SEND", name, "hit")
            #expect(try cluster.value("hits", of: name) == 1)
        }
        let answer = try cluster.node("b").answer("SEND", "room-5", "hit")
        #expect(answer.sentence?.contains("its row was damaged") == true, "\(answer)")
        #expect(try cluster.ask("RETRY", "room-5").text == "on")
        #expect(try cluster.ask("STATE", "room-5")["version"]?.integer == 7)
        cluster.stop("b")
        try cluster.start("c")
        #expect(try cluster.ask("STATE", "room-5")["version"]?.integer == 7)
        #expect(try cluster.node("c").answer("STATE", "room-3").sentence?.contains("its row was damaged") == true)
    }
}

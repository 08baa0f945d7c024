// Messages between shards in PostgreSQL: written by their sender's commit, and deleted by their receiver's.

import Postgres
import PostgresServer
import PostgresStore
import Store
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `Messages in a commit` {
    /// Rows of the log with messages: from this shard under this epoch, to shards, and the messages that the shard takes.
    private typealias Row = (shard: Int, epoch: Int64, number: Int64, to: [Int], taken: [MessageID])

    private func commit(_ log: any StoreLog, _ rows: Row...) throws -> [Int] {
        try withText("bytes") { bytes throws(StoreError) in
            try log.send(
                rows.map { row in
                    let posted = row.to.map { PostedMessage(to: $0, Array("from \(row.shard), \(row.number)".utf8)) }
                    return ShardBatch(
                        Shard(row.shard, epoch: row.epoch), number: row.number, bytes: bytes, posted: posted, taken: row.taken)
                })
        }
        return try log.outcome()
    }

    private func read(_ mail: any StoreMessages, _ shard: Int, without known: [Int64] = [], atMost most: Int = 100) throws
        -> [String]
    {
        try mail.read(shard, without: known, atMost: most).map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func `An export waits for a commit that has begun, and is refused if that posts a message`() throws {
        let database = try TestDatabase()
        let commit = try database.connect()
        try commit.run(
            "BEGIN; SELECT FROM shard WHERE id = 1 FOR SHARE; INSERT INTO message (shard, key, body) VALUES (2, 0, 'posted')")
        let committing = database.afterWaiters(commit, "COMMIT")
        #expect {
            _ = try PostgresMove(database.uri, as: .source, historyCapacity: 10)
        } throws: { ($0 as? StoreError)?.cause == .unusable }
        committing.wait()
        #expect(try database.ask("SELECT sum(epoch), (SELECT count(*) FROM message) FROM shard") == "0|1")
    }

    @Test func `Messages appear with their sender's commit, and disappear with their receiver's`() throws {
        let database = try TestDatabase()
        let (log, mail) = (try database.store().openLog(), try database.store().openMessages())
        #expect(try commit(log, (0, 0, 1, [1, 2, 1], []), (3, 0, 1, [1], [])) == [])
        #expect(try commit(log, (0, 0, 2, [1], [])) == [])
        #expect(try mail.counts() == [1: 4, 2: 1])
        #expect(try read(mail, 1) == ["from 0, 1", "from 0, 1", "from 3, 1", "from 0, 2"])
        #expect(try read(mail, 1, atMost: 1) == ["from 0, 1"])
        let first = try #require(try mail.read(1, without: [], atMost: 1).first)
        #expect(try read(mail, 1, without: [first.id.number], atMost: 2) == ["from 0, 1", "from 3, 1"])
        #expect(try commit(log, (1, 0, 1, [0], [first.id])) == [])
        #expect(try read(mail, 1) == ["from 0, 1", "from 3, 1", "from 0, 2"] && read(mail, 0) == ["from 1, 1"])
    }

    /// Formerly a hundred of a megabyte each were read at once: over a slow network that never ended in time, and the node got no
    /// other message either.
    @Test func `A reading of large messages ends with the one that reaches a megabyte, and the next ones return the rest`()
        throws
    {
        let database = try TestDatabase()
        let mail = try database.store().openMessages()
        try database.connect().run(
            """
            INSERT INTO message (shard, key, body) SELECT 1, place, convert_to(repeat('x', size), 'UTF8')
            FROM unnest(ARRAY[600000, 600000, 2000000, 1, 2]) WITH ORDINALITY AS sizes (size, place) ORDER BY place
            """)
        var (known, readings): ([Int64], [[Int]]) = ([], [])
        var mayLackSome = true
        while mayLackSome, readings.count < 5 {
            let messages = try mail.read(1, without: known, atMost: 100)
            readings.append(messages.map(\.body.count))
            known += messages.map(\.id.number)
            mayLackSome = messages.mayLackSome(of: 100)
        }
        #expect(readings == [[600_000, 600_000], [2_000_000], [1, 2]])
        #expect(try mail.read(1, without: [], atMost: 1).mayLackSome(of: 1))
    }

    @Test func `A fenced shard of a commit sends and removes no messages, and the other shards do`() throws {
        let database = try TestDatabase()
        let (log, mail) = (try database.store().openLog(), try database.store().openMessages())
        #expect(try commit(log, (0, 0, 1, [1, 2], [])) == [])
        let waiting = try [1, 2].map { try #require(try mail.read($0, without: [], atMost: 1).first).id }
        try database.connect().run("UPDATE shard SET epoch = epoch + 1 WHERE id = 1")
        #expect(try commit(log, (1, 0, 1, [3], [waiting[0]]), (2, 0, 1, [0], [waiting[1]])) == [1])
        #expect(try mail.counts() == [0: 1, 1: 1])
    }

    @Test func `A shard cannot remove a message of another shard`() throws {
        let database = try TestDatabase()
        let (log, mail) = (try database.store().openLog(), try database.store().openMessages())
        #expect(try commit(log, (0, 0, 1, [1], [])) == [])
        let message = try #require(try mail.read(1, without: [], atMost: 1).first)
        #expect(try commit(log, (2, 0, 1, [], [message.id])) == [])
        #expect(try mail.counts() == [1: 1])
    }

    @Test func `A message that has the number of another one is not removed in its place`() throws {
        let database = try TestDatabase()
        let (log, mail) = (try database.store().openLog(), try database.store().openMessages())
        #expect(try commit(log, (0, 0, 1, [1], [])) == [])
        let message = try #require(try mail.read(1, without: [], atMost: 1).first)
        #expect(try commit(log, (1, 0, 1, [], [MessageID(message.id.number, key: message.id.key ^ 1)])) == [])
        #expect(try mail.counts() == [1: 1])
        #expect(try commit(log, (1, 0, 2, [], [message.id])) == [] && mail.counts().isEmpty)
    }

    @Test func `An announcement of messages reaches all nodes, including its sender`() throws {
        let database = try TestDatabase()
        let mails = try (0..<2).map { _ in try database.store().openMessages() }
        let shards = Set(0..<2_500)
        try mails[0].announceMessages(for: shards)
        for mail in mails {
            var told: Set<Int> = []
            #expect(
                try eventually {
                    told.formUnion(try mail.waitForMessages(orUntil: -1, atMost: 1_000))
                    return told == shards
                })
        }
    }
}

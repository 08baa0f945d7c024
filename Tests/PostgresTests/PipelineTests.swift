// Statements that are sent ahead, and answers that are read in order.

import Postgres
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)")) struct `A pipeline` {
    private let select = Statement("SELECT $1")

    @Test func `A pipeline returns the results of all statements in order`() throws {
        let connection = try SharedServer.connect()
        try connection.prepare([Statement("add", "SELECT $1::bigint + 1")])
        for number in 0..<100 as Range<Int64> {
            try connection.send(Statement("add", ""), [.int64(number)])
            try connection.sync()
        }
        #expect(connection.awaited == 200)
        for number in 0..<100 as Range<Int64> {
            #expect(try connection.next().rows?.int64(0, 0) == number + 1)
            #expect(connection.next().isSynced)
        }
        #expect(connection.awaited == 0)
    }

    @Test func `One refused statement refuses its transaction, and no other`() throws {
        let connection = try SharedServer.connect()
        try connection.run("CREATE TEMPORARY TABLE t (n int PRIMARY KEY)")
        let insert = Statement("INSERT INTO t VALUES ($1)")
        for batch in [[1, 2], [3, 1, 4], [5]] as [[Int32]] {
            for number in batch { try connection.send(insert, [.int32(number)]) }
            try connection.sync()
        }
        var answers: [PipelineAnswer] = []
        while connection.awaited > 0 { answers.append(connection.next()) }
        #expect(answers[..<3].map { $0.error } == [nil, nil, nil])
        #expect(answers[3].rows != nil)
        let refused = try #require(answers[4].error)
        #expect(refused.outcome == .refused && refused.state == SQLState("23505"))
        #expect(refused.description.contains("duplicate key value") && refused.description.hasSuffix("(SQLSTATE 23505)"))
        #expect(answers[5].error?.outcome == .refused)
        #expect(answers[5].error?.message.hasPrefix("another statement of its transaction was refused: ") == true)
        #expect(answers[6].error == refused, "the transaction's end tells the reason, too")
        #expect(answers[7].rows != nil && answers[8].isSynced)
        #expect(try connection.run("SELECT string_agg(n::text, ' ' ORDER BY n) FROM t")?.text(0, 0) == "1 2 5")
    }

    @Test func `A refused commit is reported at the transaction's end`() throws {
        let connection = try SharedServer.connect()
        try connection.run("CREATE TEMPORARY TABLE t (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        let insert = Statement("INSERT INTO t VALUES ($1)")
        for number in [1, 1, 2] as [Int32] { try connection.send(insert, [.int32(number)]) }
        try connection.sync()
        try connection.send(insert, [.int32(7)])
        try connection.sync()
        #expect((0..<3).allSatisfy { _ in connection.next().rows != nil })
        let end = try #require(connection.next().error)
        #expect(end.outcome == .refused && end.state == SQLState("23505"))
        #expect(connection.next().rows != nil)
        #expect(connection.next().isSynced)
        #expect(try connection.run("SELECT count(*) FROM t")?.text(0, 0) == "1")
    }

    @Test func `A pipeline that is larger than the network buffers does not block`() throws {
        let connection = try SharedServer.connect()
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<40 {
            try bytes.withUnsafeBytes { try connection.send(Statement("SELECT $1"), [.bytes($0)]) }
            try connection.sync()
        }
        for _ in 0..<40 {
            #expect(try connection.next().rows?.bytes(0, 0)?.count == bytes.count)
            #expect(connection.next().isSynced)
        }
    }

    @Test func `A wait ends with an answer, a deadline or another descriptor, and loses no answer`() throws {
        let (connection, holder) = (try SharedServer.connect(), try SharedServer.connect())
        #expect(connection.wait(until: Deadline(in: .milliseconds(20))) == .deadline)
        // The answer comes once the other connection has released the lock.
        try holder.run("SELECT pg_advisory_lock(70177)")
        try connection.send(Statement("SELECT pg_advisory_lock(70177), 'done'"))
        try connection.sync()
        #expect(connection.wait(until: Deadline(in: .milliseconds(20))) == .deadline)
        let receiver = try Folder()
        let socket = receiver.path + "/bell"
        let bell = try DatagramReceiver(at: socket)
        try sendDatagram(to: socket)
        #expect(connection.wait(until: Deadline(in: .seconds(30)), orReadable: bell.number) == .readable)
        _ = bell.next()
        try holder.run("SELECT pg_advisory_unlock(70177)")
        #expect(connection.wait(until: Deadline(in: .seconds(30)), orReadable: bell.number) == .answer)
        #expect(try connection.next().rows?.text(0, 1) == "done")
        #expect(connection.next().isSynced)
        #expect(connection.awaited == 0)
    }

    @Test func `A connection that has sent a part of a transaction only is closed, and refuses what comes next`() throws {
        let connection = try SharedServer.connect()
        try connection.send(select, [.int64(1)])
        // libpq takes at most 65,535.
        let tooMany = [Parameter](repeating: .null, count: 65_536)
        #expect(failure { try connection.send(select, tooMany) }?.outcome == .notSent)
        #expect(connection.wait(until: Deadline(in: .seconds(30))) != .answer)
        #expect(failure { try connection.execute(select, [.int64(1)]) }?.outcome == .notSent)
        #expect(failure { try connection.prepare([select]) }?.outcome == .notSent)
        #expect(failure { try connection.run("SELECT 1") }?.outcome == .notSent)
        #expect(connection.next().error?.outcome == .unknown)
        #expect(connection.awaited == 0)
    }

    @Test func `A transaction can be opened and ended by statements that are sent one by one`() throws {
        let connection = try SharedServer.connect()
        for sql in ["BEGIN", "CREATE TABLE never (n int)"] { try connection.execute(Statement(sql)) }
        try connection.execute(Statement("ROLLBACK"))
        #expect(failure { try connection.execute(Statement("SELECT * FROM never")) }?.state == SQLState("42P01"))
    }
}

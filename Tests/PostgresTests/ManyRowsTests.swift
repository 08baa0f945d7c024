// Many rows, read without holding them all.

import Foundation
import Postgres
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)")) struct `Many rows` {
    @Test(arguments: ["COPY copied FROM STDIN", "COPY copied TO STDOUT"])
    func `An unexpected COPY ends the connection, and does not loop without end`(sql: String) throws {
        let connection = try SharedServer.connect()
        try connection.run("CREATE TEMPORARY TABLE copied (id bigint)")
        #expect(failure { try connection.run(sql) }?.outcome == .unknown)
    }

    @Test func `Many rows are read one at a time, in bounded memory`() throws {
        let connection = try SharedServer.connect()
        let (before, megabytes) = (residentMegabytes(), 600)
        var (most, bytes) = (before, 0)
        let query = Statement("SELECT g, repeat('x', 1000000) FROM generate_series(1, $1) AS g")
        try connection.sendForRows(query, [.int32(Int32(megabytes))])
        try connection.sync()
        try connection.takeRows(until: Deadline(in: .seconds(60))) { row throws(PostgresError) in
            bytes += try row.bytes(0, 1)?.count ?? 0
            most = max(most, residentMegabytes())
        }
        try connection.takeAll()
        #expect(bytes == megabytes * 1_000_000)
        // Other tests run meanwhile.
        #expect(isSanitized || most - before < 400, "\(most - before) MB more")
        #expect(try connection.execute(Statement("SELECT 1")).int64(0, 0) == 1)
    }

    @Test func `A query that fails midway reports its error after the rows before it`() throws {
        let connection = try SharedServer.connect()
        var numbers: [Int64] = []
        try connection.sendForRows(Statement("SELECT 12 / (4 - g) FROM generate_series(1, 9) AS g"))
        try connection.sync()
        let error = failure {
            try connection.takeRows(until: Deadline(in: .seconds(30))) { row throws(PostgresError) in
                numbers.append(try row.int64(0, 0) ?? 0)
            }
        }
        while connection.awaited > 0 { _ = connection.next() }
        #expect(numbers == [4, 6, 12])
        #expect(error?.outcome == .refused && error?.state == SQLState("22012"))
        #expect(try connection.execute(Statement("SELECT 1")).int64(0, 0) == 1)
    }

    private func residentMegabytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096 >> 20
    }
}

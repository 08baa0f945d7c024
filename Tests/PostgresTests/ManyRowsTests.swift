// Many rows, in and out, without holding them all.

import Foundation
import Postgres
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)")) struct `Many rows` {
    private func connect() throws -> Connection {
        let connection = try SharedServer.connect()
        try connection.run("CREATE TEMPORARY TABLE copied (id bigint, n int, flag boolean, name text, batch bytea)")
        return connection
    }

    @Test func `are copied in binary, piece by piece`() throws {
        let connection = try connect()
        let bytes = [UInt8](repeating: 9, count: 1_000)
        let count = try connection.copy("COPY copied FROM STDIN (FORMAT binary)") { input throws(PostgresError) in
            let rows = CopyRows()
            for id in 0..<2_000 as Range<Int64> {
                rows.beginRow(columns: 5)
                rows.add(id)
                rows.add(Int32(-1))
                rows.add(true)
                rows.add("name \(id)")
                if id == 7 { rows.addNull() } else { bytes.withUnsafeBytes { rows.add($0) } }
                if rows.bytes.count > 1 << 16 { try input.write(rows) }
            }
            rows.end()
            try input.write(rows)
        }
        #expect(count == 2_000)
        let sql = "SELECT count(*), sum(id), sum(n), bool_and(flag), max(name), sum(length(batch)) FROM copied"
        let rows = try #require(try connection.run(sql))
        #expect(try (0..<6).map { try rows.text(0, $0) } == ["2000", "1999000", "-2000", "t", "name 999", "1999000"])
    }

    @Test func `are copied as text`() throws {
        let connection = try connect()
        let text = Array("1\t2\tt\tone\t\\N\n3\t4\tf\ttwo\t\\\\x0102\n".utf8)
        let count = try connection.copy("COPY copied FROM STDIN") { input throws(PostgresError) in
            for byte in text { try withUnsafeBytes(of: byte) { bytes throws(PostgresError) in try input.write(bytes) } }
        }
        #expect(count == 2)
        #expect(try connection.run("SELECT sum(id) FROM copied")?.text(0, 0) == "4")
    }

    @Test func `are not copied if the client gives up or the server refuses one, and the connection stays`() throws {
        let connection = try connect()
        let mine = PostgresError(.unreadable, "mine")
        let thrown = failure {
            try connection.copy("COPY copied FROM STDIN") { input throws(PostgresError) in
                try write("1\t2\tt\tone\t\\N\n", to: input)
                throw mine
            }
        }
        #expect(thrown == mine)
        let refused = failure {
            try connection.copy("COPY copied FROM STDIN") { input throws(PostgresError) in try write("no number\n", to: input) }
        }
        #expect(refused?.outcome == .refused && refused?.state == SQLState("22P02"))
        #expect(failure { try connection.copy("COPY nowhere FROM STDIN") { _ in } }?.state == .undefinedTable)
        #expect(failure { try connection.copy("SELECT 1") { _ in } }?.outcome == .unreadable)
        #expect(try connection.run("SELECT count(*) FROM copied")?.text(0, 0) == "0")
        for sql in ["COPY copied FROM STDIN", "COPY copied TO STDOUT"] {
            #expect(failure { try connect().run(sql) }?.outcome == .unknown, "where nobody expects it, it ends the connection")
        }
    }

    private func write(_ text: String, to input: borrowing CopyInput) throws(PostgresError) {
        try Array(text.utf8).span.withUnsafeBytes { bytes throws(PostgresError) in try input.write(bytes) }
    }

    @Test func `are read one at a time, in bounded memory`() throws {
        let connection = try SharedServer.connect()
        let (before, megabytes) = (residentMegabytes(), 600)
        var (most, bytes) = (before, 0)
        try connection.read(
            Statement("SELECT g, repeat('x', 1000000) FROM generate_series(1, $1) AS g"), [.int32(Int32(megabytes))],
            until: Deadline(in: .seconds(60))
        ) { row throws(PostgresError) in
            bytes += try row.bytes(0, 1)?.count ?? 0
            most = max(most, residentMegabytes())
        }
        #expect(bytes == megabytes * 1_000_000)
        // Other tests run meanwhile.
        #expect(isSanitized || most - before < 400, "\(most - before) MB more")
        #expect(try connection.execute(Statement("SELECT 1")).int32(0, 0) == 1)
    }

    @Test func `that fail in the midst say so after the rows before`() throws {
        let connection = try SharedServer.connect()
        var numbers: [Int32] = []
        let error = failure {
            try connection.read(
                Statement("SELECT 12 / (4 - g) FROM generate_series(1, 9) AS g"), until: Deadline(in: .seconds(30))
            ) {
                row throws(PostgresError) in numbers.append(try row.int32(0, 0) ?? 0)
            }
        }
        #expect(numbers == [4, 6, 12])
        #expect(error?.outcome == .refused && error?.state == SQLState("22012"))
        #expect(try connection.execute(Statement("SELECT 1")).int32(0, 0) == 1)
    }

    private func residentMegabytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096 >> 20
    }
}

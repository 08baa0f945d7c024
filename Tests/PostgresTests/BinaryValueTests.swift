// Values on their way to the server and back, in binary.

import Glibc
import Postgres
import PostgresServer
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)")) struct `Values in binary` {
    @Test func `Numbers up to their extremes, booleans and NULL are read as sent`() throws {
        let connection = try SharedServer.connect()
        for number in [Int64.min, -1, 0, 1, .max] {
            let rows = try connection.execute(Statement("SELECT $1::bigint, ($1 = $2)"), [.int64(number), .int64(number)])
            #expect(try rows.int64(0, 0) == number)
            #expect(try rows.bool(0, 1) == true)
        }
        for number in [Int32.min, -1, 0, .max] {
            #expect(try connection.execute(Statement("SELECT $1"), [.int32(number)]).int64(0, 0) == Int64(number))
        }
        let rows = try connection.execute(
            Statement("SELECT $1::bigint, false, $2::integer, $3::text, $4::bytea"), [.null, .null, .null, .null])
        #expect(try rows.int64(0, 0) == nil)
        #expect(try rows.bool(0, 1) == false)
        #expect((0..<5).map { rows.isNull(0, $0) } == [true, false, true, true, true])
        #expect(try rows.text(0, 3) == nil)
        #expect(try rows.bytes(0, 4) == nil)
    }

    @Test(arguments: [0, 1, 255, 256, 65_537, 16 << 20])
    func `Bytes of every value, from none to 16 MiB, are read as sent`(count: Int) throws {
        let connection = try SharedServer.connect()
        let all = (0...255).map { UInt8($0) }
        // Doubled: one by one would take seconds.
        var bytes = all
        while bytes.count < count { bytes += bytes }
        bytes.removeLast(bytes.count - count)
        let rows = try bytes.withUnsafeBytes { try connection.execute(Statement("SELECT $1, length($1)"), [.bytes($0)]) }
        #expect(try rows.int64(0, 1) == Int64(count))
        let back = try #require(try rows.bytes(0, 0))
        #expect(back.count == count)
        #expect(count == 0 || bytes.withUnsafeBytes { isSame($0, back) })
    }

    @Test func `Texts of any language, and empty ones, are read as sent`() throws {
        let connection = try SharedServer.connect()
        for text in ["", "plain", "Ünïcödé 🎲 漢字", "two\nlines 'quoted' \\"] {
            #expect(try connection.execute(Statement("SELECT $1::text"), [.text(text)]).text(0, 0) == text)
        }
    }

    @Test func `Arrays of each type, with NULL and without elements, are read as sent`() throws {
        let connection = try SharedServer.connect()
        let (numbers, small) = (BinaryArray([Int64.min, 0, .max]), BinaryArray([Int32.min, 7, .max]))
        let (texts, bytes, flags) = (BinaryArray(of: .text), BinaryArray(of: .bytes), BinaryArray(of: .bool))
        for text in ["a", "", "ß"] { texts.append(text) }
        for value in [[], [0, 255], [1]] as [[UInt8]] { value.withUnsafeBytes { bytes.append($0) } }
        flags.append(true)
        flags.appendNull()
        flags.append(false)
        let sql = """
            SELECT n, i, t, b, f FROM unnest($1::bigint[], $2::int[], $3::text[], $4::bytea[], $5::boolean[]) \
            AS rows (n, i, t, b, f)
            """
        let rows = try connection.execute(
            Statement(sql), [.array(numbers), .array(small), .array(texts), .array(bytes), .array(flags)])
        #expect(try (0..<3).map { try rows.int64($0, 0) } == [.min, 0, .max])
        #expect(try (0..<3).map { try rows.int64($0, 1) } == [Int64(Int32.min), 7, Int64(Int32.max)])
        #expect(try (0..<3).map { try rows.text($0, 2) } == ["a", "", "ß"])
        #expect(try (0..<3).map { try rows.bytes($0, 3).map { Array($0) } } == [[], [0, 255], [1]])
        #expect(try (0..<3).map { try rows.bool($0, 4) } == [true, nil, false])
        bytes.removeAll()
        let empty = try connection.execute(Statement("SELECT cardinality($1), $1 = '{}'"), [.array(bytes)])
        #expect(try empty.int64(0, 0) == 0)
        #expect(try empty.bool(0, 1) == true)
    }

    @Test func `One statement inserts 100,000 rows`() throws {
        let connection = try SharedServer.connect()
        try connection.run("CREATE TEMPORARY TABLE many (id bigint, name text, batch bytea)")
        let insert = Statement("insert-many", "INSERT INTO many SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[])")
        try connection.prepare([insert])
        let (ids, names, batches) = (BinaryArray(of: .int64), BinaryArray(of: .text), BinaryArray(of: .bytes))
        for id in 0..<100_000 as Range<Int64> {
            ids.append(id)
            names.append("session-\(id)")
            withUnsafeBytes(of: id) { batches.append($0) }
        }
        _ = try connection.execute(insert, [.array(ids), .array(names), .array(batches)])
        let rows = try connection.execute(
            Statement("SELECT count(*), sum(id), sum(length(batch)) FROM many WHERE name = 'session-' || id"))
        #expect(try rows.int64(0, 0) == 100_000)
        #expect(try rows.int64(0, 2) == 800_000)
    }

    @Test func `A column of another type is an error, and does not trap`() throws {
        let connection = try SharedServer.connect()
        let rows = try connection.execute(Statement("SELECT 'x'::text AS word, 1.5::numeric AS part, true AS flag"))
        let errors = [
            failure { try rows.int64(0, 0) }, failure { try rows.int64(0, 1) }, failure { try rows.bool(0, 0) },
            failure { try rows.text(0, 2) }, failure { try rows.bytes(0, 1) },
        ]
        #expect(errors.map { $0?.outcome } == Array(repeating: .unreadable, count: 5))
        #expect(
            errors[0]?.message == "the column 'word' of the database's answer has another type: it should be a whole number")
    }

    private func isSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard let (first, second) = one.baseAddress.flatMap({ one in other.baseAddress.map { (one, $0) } }) else {
            return false
        }
        return one.count == other.count && memcmp(first, second, one.count) == 0
    }
}

// The rows of a statement, read where libpq has put them.

import CPostgres

/// Columns are counted from zero. Values read by address are valid as long as this object.
package final class Rows {
    private let result: OpaquePointer
    package let count: Int

    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
    }

    deinit { PQclear(result) }

    package var columns: Int { Int(PQnfields(result)) }

    /// How many rows the statement has inserted, changed, deleted or selected.
    package var affected: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    // MARK: Values; nil is NULL

    package func isNull(_ row: Int, _ column: Int) -> Bool {
        check(row, column)
        return PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// Of bigint, integer or smallint.
    package func int64(_ row: Int, _ column: Int) throws(PostgresError) -> Int64? {
        guard let bytes = value(row, column) else { return nil }
        switch (PQftype(result, Int32(column)), bytes.count, isBinary(column)) {
        case (TypeNumber.int64, 8, true): return bytes.number(as: Int64.self)
        case (TypeNumber.int32, 4, true): return Int64(bytes.number(as: Int32.self))
        case (TypeNumber.int16, 2, true): return Int64(bytes.number(as: Int16.self))
        default: throw mismatch(column, "a whole number")
        }
    }

    /// Of integer or smallint.
    package func int32(_ row: Int, _ column: Int) throws(PostgresError) -> Int32? {
        guard let number = try int64(row, column) else { return nil }
        guard let small = Int32(exactly: number) else { throw mismatch(column, "a number of 32 bits") }
        return small
    }

    package func bool(_ row: Int, _ column: Int) throws(PostgresError) -> Bool? {
        guard let bytes = value(row, column) else { return nil }
        guard PQftype(result, Int32(column)) == TypeNumber.bool, bytes.count == 1, isBinary(column) else {
            throw mismatch(column, "a boolean")
        }
        return bytes[0] != 0
    }

    package func text(_ row: Int, _ column: Int) throws(PostgresError) -> String? {
        guard let bytes = value(row, column) else { return nil }
        guard !isBinary(column) || TypeNumber.texts.contains(PQftype(result, Int32(column))) else {
            throw mismatch(column, "a text")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A bytea's bytes, or a text's.
    package func bytes(_ row: Int, _ column: Int) throws(PostgresError) -> UnsafeRawBufferPointer? {
        guard let bytes = value(row, column) else { return nil }
        let type = PQftype(result, Int32(column))
        guard isBinary(column), type == TypeNumber.bytes || TypeNumber.texts.contains(type) else {
            throw mismatch(column, "bytes")
        }
        return bytes
    }

    private func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        if isNull(row, column) { return nil }
        let start = PQgetvalue(result, Int32(row), Int32(column))
        return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, Int32(row), Int32(column))))
    }

    private func isBinary(_ column: Int) -> Bool { PQfformat(result, Int32(column)) == 1 }

    /// libpq would say so on standard error.
    private func check(_ row: Int, _ column: Int) {
        precondition(row >= 0 && row < count && column >= 0 && column < columns)
    }

    private func mismatch(_ column: Int, _ wish: String) -> PostgresError {
        let name = PQfname(result, Int32(column)).map { String(cString: $0) } ?? ""
        return PostgresError(
            .unreadable, "the column '\(name)' of the database's answer has another type: it should be \(wish)")
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func number<Number: FixedWidthInteger>(as type: Number.Type) -> Number {
        Number(bigEndian: loadUnaligned(as: type))
    }
}

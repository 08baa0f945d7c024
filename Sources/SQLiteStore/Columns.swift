// Reads the columns of a row.

import CSQLite
import Store

/// A row of a result. Text and blobs are valid until the next row.
protocol Columns {
    func value(_ column: Int32) -> OpaquePointer?
}

extension Columns {
    func integer(_ column: Int32) -> Int64? {
        let value = value(column)
        return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
    }

    /// The text's bytes; nil if the column holds no text.
    func text(_ column: Int32) -> UnsafeRawBufferPointer? { bytes(column, ifType: SQLITE_TEXT) }

    func blob(_ column: Int32) -> UnsafeRawBufferPointer? { bytes(column, ifType: SQLITE_BLOB) }

    func isNull(_ column: Int32) -> Bool { sqlite3_value_type(value(column)) == SQLITE_NULL }

    private func bytes(_ column: Int32, ifType type: Int32) -> UnsafeRawBufferPointer? {
        let value = value(column)
        guard sqlite3_value_type(value) == type else { return nil }
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
}

/// The current row of a statement. Each call that reads a column finds it and checks the connection again, so a column is found once, as a value.
/// SQLite allows that where one thread uses the connection; only then are values not protected against other threads.
extension Statement: Columns {
    func value(_ column: Int32) -> OpaquePointer? { sqlite3_column_value(handle, column) }
}

/// A row as the arguments of an SQL function: SQLite has found the columns already.
struct FunctionArguments: Columns {
    fileprivate let values: UnsafeMutablePointer<OpaquePointer?>?

    func value(_ column: Int32) -> OpaquePointer? { values?[Int(column)] }
}

extension Connection {
    /// Calls `body` with each row of the query, as the arguments of an SQL function. With 18 columns, that takes 1,060 instructions a row less than
    /// reading them from a statement.
    func forEachRow(_ columns: String, from source: String, _ body: (FunctionArguments) throws -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            let visitor = RowVisitor(body)
            try define(visitor, call: visit)
            defer { withExtendedLifetime(visitor) { try? define(nil, call: nil) } }
            let rows = try Statement("SELECT \(RowVisitor.function)(\(columns)) FROM \(source)", on: self)
            do {
                while try rows.next() {}
            } catch {
                throw visitor.failure ?? error
            }
        }
    }

    /// Nil removes the function.
    private func define(
        _ visitor: RowVisitor?, call: (@convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void)?
    ) throws(StoreError) {
        let result = sqlite3_create_function_v2(
            handle, RowVisitor.function, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
            visitor.map { Unmanaged.passUnretained($0).toOpaque() }, call, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result) }
    }
}

private final class RowVisitor {
    static let function = "gamed_row"

    let body: (FunctionArguments) throws -> Void
    var failure: (any Error)?

    init(_ body: @escaping (FunctionArguments) throws -> Void) { self.body = body }
}

private func visit(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let data = sqlite3_user_data(context) else { return }
    Unmanaged<RowVisitor>.fromOpaque(data)._withUnsafeGuaranteedRef { visitor in
        do {
            try visitor.body(FunctionArguments(values: values))
        } catch {
            visitor.failure = error
            sqlite3_result_error_code(context, SQLITE_ABORT)
        }
    }
}

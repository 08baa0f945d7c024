// The owner of a prepared statement.

import CSQLite
import Store

/// One statement, prepared once and run many times. Bound memory must live until `run` or the last `next` has returned.
final class Statement {
    private let handle: OpaquePointer
    private let connection: Connection
    /// The first binding that failed. `run` throws it, so that callers need not check each binding.
    private var failedBinding = SQLITE_OK

    init(_ sql: String, on connection: Connection) throws(StoreError) {
        var handle: OpaquePointer?
        let result = sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard result == SQLITE_OK, let handle else { throw connection.error(result) }
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    // MARK: Binding

    func bind(_ column: Int32, _ value: Int64) {
        recordBindResult(sqlite3_bind_int64(handle, column, value))
    }

    /// Nil is NULL.
    func bind(_ column: Int32, _ value: Int64?) {
        recordBindResult(value.map { sqlite3_bind_int64(handle, column, $0) } ?? sqlite3_bind_null(handle, column))
    }

    /// Binds the bytes as text. Nil is NULL; an empty text is not.
    func bind(_ column: Int32, text: UnsafeRawBufferPointer?) {
        guard let text else { return recordBindResult(sqlite3_bind_null(handle, column)) }
        let bytes = text.baseAddress ?? UnsafeRawPointer(handle)
        recordBindResult(
            sqlite3_bind_text64(
                handle, column, bytes.assumingMemoryBound(to: CChar.self), UInt64(text.count), nil, UInt8(SQLITE_UTF8)))
    }

    func bind(_ column: Int32, blob: UnsafeRawBufferPointer) {
        recordBindResult(
            sqlite3_bind_blob64(handle, column, blob.baseAddress ?? UnsafeRawPointer(handle), UInt64(blob.count), nil))
    }

    private func recordBindResult(_ result: Int32) {
        if result != SQLITE_OK { failedBinding = result }
    }

    // MARK: Running

    /// Runs a statement that yields no rows.
    func run() throws(StoreError) {
        guard failedBinding == SQLITE_OK else { throw bindingError() }
        let result = sqlite3_step(handle)
        // The error first: resetting repeats it, but forgets the system's number.
        guard result == SQLITE_DONE || result == SQLITE_ROW else { throw failed(result) }
        sqlite3_reset(handle)
    }

    /// Steps to the next row; false after the last one, when the statement can be run again.
    func next() throws(StoreError) -> Bool {
        guard failedBinding == SQLITE_OK else { throw bindingError() }
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        guard result == SQLITE_DONE else { throw failed(result) }
        sqlite3_reset(handle)
        return false
    }

    /// Ends a statement before its last row.
    func stop() {
        sqlite3_reset(handle)
    }

    private func failed(_ result: Int32) -> StoreError {
        let error = connection.error(result)
        sqlite3_reset(handle)
        return error
    }

    private func bindingError() -> StoreError {
        let error = connection.error(failedBinding)
        failedBinding = SQLITE_OK
        return error
    }

    // MARK: Reading the row

    // Each call that reads a column finds it and checks the connection again. So a column is found once, as a value. SQLite allows that where one
    // thread uses the connection; only then are values not protected against other threads.

    func integer(_ column: Int32) -> Int64? {
        let value = sqlite3_column_value(handle, column)
        return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
    }

    /// The text's bytes, valid until the next step; nil if the column holds no text.
    func text(_ column: Int32) -> UnsafeRawBufferPointer? {
        bytes(column, ifType: SQLITE_TEXT)
    }

    func blob(_ column: Int32) -> UnsafeRawBufferPointer? {
        bytes(column, ifType: SQLITE_BLOB)
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    @inline(__always)
    private func bytes(_ column: Int32, ifType type: Int32) -> UnsafeRawBufferPointer? {
        let value = sqlite3_column_value(handle, column)
        guard sqlite3_value_type(value) == type else { return nil }
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
}

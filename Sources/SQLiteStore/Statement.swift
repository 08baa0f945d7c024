// The owner of a prepared statement.

import CSQLite
import Store

/// One statement, prepared once and run many times. Bound memory must live until `run` or the last `next` has returned.
final class Statement {
    let handle: OpaquePointer
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

    /// Runs the statement, and returns what `read` finds in its first row; nil without a row.
    func first<Value>(_ read: (Statement) -> Value?) throws(StoreError) -> Value? {
        guard try next() else { return nil }
        defer { stop() }
        return read(self)
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
}

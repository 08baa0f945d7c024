// Statements with awaited answers.

import CPostgres

extension Connection {
    /// Prepares statements for as long as the connection lives.
    package func prepare(_ statements: [Statement]) throws(PostgresError) {
        try checkIsIdle()
        let deadline = timeouts.deadline
        for statement in statements { try sendPreparation(of: statement) }
        try sync()
        try takeAll(until: deadline)
    }

    /// Runs one statement in a separate transaction.
    @discardableResult
    package func execute(_ statement: Statement, _ values: [Parameter] = []) throws(PostgresError) -> Rows {
        try checkIsIdle()
        let deadline = timeouts.deadline
        try send(statement, values)
        try sync()
        guard let rows = try takeAll(until: deadline).first else {
            throw PostgresError(.unreadable, "a statement was not answered")
        }
        return rows
    }

    /// Takes every answer that is awaited, and returns the rows of each statement. Throws the first error. Without a deadline for all, each answer
    /// has one of its own.
    @discardableResult
    package func takeAll(until deadline: Deadline? = nil) throws(PostgresError) -> [Rows] {
        var (all, failure): ([Rows], PostgresError?) = ([], nil)
        while awaited > 0 {
            switch next(until: deadline) {
            case .done(let rows): all.append(rows)
            case .failed(let error): failure = failure ?? error
            case .synced: break
            }
        }
        if let failure { throw failure }
        return all
    }

    /// Runs statements without parameters, in one transaction unless they contain their own. The last one's rows are texts.
    @discardableResult
    package func run(_ sql: String, until deadline: Deadline? = nil) throws(PostgresError) -> Rows? {
        let deadline = deadline ?? timeouts.deadline
        let handle = try beginConversation()
        defer { isConversing = false }
        guard PQsendQuery(handle, sql) == 1 else { throw unsent() }
        return try lastRows(until: deadline)
    }

    // MARK: One conversation at a time

    /// A lost connection may still have statements in flight, with answers that no caller took.
    private func checkIsIdle() throws(PostgresError) {
        guard case .open = state else { throw refusalToSend }
        precondition(underWay.isEmpty && !isConversing, "something is in flight")
    }

    /// Outside of the pipeline, which must be empty.
    func beginConversation() throws(PostgresError) -> OpaquePointer {
        try checkIsIdle()
        catchUp()
        guard case .open = state, let handle else { throw refusalToSend }
        if PQpipelineStatus(handle) != PQ_PIPELINE_OFF, PQexitPipelineMode(handle) != 1 { throw unsent() }
        isConversing = true
        return handle
    }

    /// Nil after the last. The caller clears it.
    func nextResult(until deadline: Deadline) throws(PostgresError) -> OpaquePointer? {
        var wakening = wait(until: deadline)
        // Notifications that come meanwhile do not end it.
        while wakening == .notification { wakening = wait(until: deadline) }
        if wakening == .deadline { loseAtDeadline() }
        guard let handle else { throw lossReason }
        let result = PQgetResult(handle)
        if PQstatus(handle) == CONNECTION_BAD, result.map({ error(in: $0) == nil }) ?? true {
            PQclear(result)
            loseAsBroken()
            throw lossReason
        }
        guard let result, [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(PQresultStatus(result)) else {
            return result
        }
        // libpq would report it again and again.
        PQclear(result)
        lose(loss("a statement started an unexpected COPY", nil))
        throw lossReason
    }

    var lossReason: PostgresError {
        if case .lost(let reason) = state { reason } else { refusalToSend }
    }

    /// Returns nil if the result is no error.
    func error(of result: OpaquePointer) -> PostgresError? {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY: nil
        default: error(in: result) ?? PostgresError(.unreadable, "the server's answer is of another kind")
        }
    }

    /// Takes all results.
    func lastRows(until deadline: Deadline) throws(PostgresError) -> Rows? {
        var (last, failure): (Rows?, PostgresError?) = (nil, nil)
        while let result = try nextResult(until: deadline) {
            if let error = error(of: result) {
                PQclear(result)
                failure = failure ?? error
            } else {
                last = Rows(result)
            }
        }
        if let failure { throw failure }
        return last
    }
}

// MARK: - The rows of a statement, read where libpq has put them.

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

    // MARK: Values; nil is NULL

    package func isNull(_ row: Int, _ column: Int) -> Bool {
        check(row, column)
        return PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// Of bigint or integer.
    package func int64(_ row: Int, _ column: Int) throws(PostgresError) -> Int64? {
        guard let bytes = value(row, column) else { return nil }
        switch (PQftype(result, Int32(column)), bytes.count, isBinary(column)) {
        case (TypeNumber.int64, 8, true): return bytes.number(as: Int64.self)
        case (TypeNumber.int32, 4, true): return Int64(bytes.number(as: Int32.self))
        default: throw mismatch(column, "a whole number")
        }
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

    /// libpq would print it on standard error.
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

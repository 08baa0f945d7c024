// COPY … FROM STDIN, in pieces.

import CPostgres

/// Where the pieces of a COPY go.
package struct CopyInput: ~Copyable {
    fileprivate let connection: Connection
    fileprivate let deadline: Deadline
    /// More is not handed to libpq at once, which keeps what it cannot send.
    private static let piece = 1 << 18

    /// Sends some bytes, which need not end where a row does.
    package borrowing func write(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.piece))
            try connection.put(piece, until: deadline)
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Sends the rows that have been gathered, and empties them.
    package borrowing func write(_ rows: CopyRows) throws(PostgresError) {
        try write(rows.bytes)
        rows.removeAll()
    }
}

extension Connection {
    /// Runs a `COPY … FROM STDIN`, whose input `body` writes. If it throws, nothing is copied. Returns how many rows were.
    @discardableResult
    package func copy(
        _ sql: String, until deadline: Deadline? = nil, _ body: (borrowing CopyInput) throws(PostgresError) -> Void
    ) throws(PostgresError) -> Int {
        let deadline = deadline ?? timeouts.deadline
        let handle = try beginConversation()
        defer { isConversing = false }
        guard PQsendQuery(handle, sql) == 1 else { throw endedUnsent() }
        try awaitInput(until: deadline)
        do throws(PostgresError) {
            try body(CopyInput(connection: self, deadline: deadline))
        } catch {
            _ = try? endCopy("the client has given up", until: deadline)
            throw error
        }
        return try endCopy(nil, until: deadline)?.affected ?? 0
    }

    /// Until the server wants it.
    private func awaitInput(until deadline: Deadline) throws(PostgresError) {
        guard let result = try nextResultOrCopy(until: deadline) else { throw endedUnsent() }
        defer { PQclear(result) }
        if PQresultStatus(result) == PGRES_COPY_IN { return }
        let failure = error(of: result) ?? PostgresError(.unreadable, "the statement is no COPY … FROM STDIN")
        _ = try? lastRows(until: deadline)
        throw failure
    }

    fileprivate func put(_ piece: UnsafeRawBufferPointer, until deadline: Deadline) throws(PostgresError) {
        guard let handle else { throw lossReason }
        let start = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
        if PQputCopyData(handle, start, Int32(piece.count)) != 1 { loseAsBroken() }
        try flush(until: deadline)
    }

    private func endCopy(_ complaint: String?, until deadline: Deadline) throws(PostgresError) -> Rows? {
        guard let handle else { throw lossReason }
        if PQputCopyEnd(handle, complaint) != 1 { loseAsBroken() }
        try flush(until: deadline)
        return try lastRows(until: deadline)
    }
}

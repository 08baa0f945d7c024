// Statements with awaited answers.

import CPostgres

extension Connection {
    /// Prepares statements for as long as the connection lives.
    package func prepare(_ statements: [Statement], until deadline: Deadline? = nil) throws(PostgresError) {
        precondition(underWay.isEmpty, "something is under way")
        let deadline = deadline ?? timeouts.deadline
        for statement in statements { try sendPreparation(of: statement) }
        try sync()
        try takeAll(until: deadline)
    }

    /// Runs one statement in a separate transaction.
    @discardableResult
    package func execute(
        _ statement: Statement, _ values: [Parameter] = [], until deadline: Deadline? = nil
    ) throws(PostgresError) -> Rows {
        precondition(underWay.isEmpty, "something is under way")
        let deadline = deadline ?? timeouts.deadline
        try send(statement, values)
        try sync()
        let answer = next(until: deadline)
        try takeAll(until: deadline)
        switch answer {
        case .done(let rows): return rows
        case .failed(let error): throw error
        case .synced: throw PostgresError(.unreadable, "a statement was not answered")
        }
    }

    /// Takes every answer that is awaited, and throws the first error.
    package func takeAll(until deadline: Deadline) throws(PostgresError) {
        var failure: PostgresError?
        while awaited > 0 {
            if case .failed(let error) = next(until: deadline) { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Runs statements without parameters, in one transaction unless they say otherwise. The last one's rows are texts.
    @discardableResult
    package func run(_ sql: String, until deadline: Deadline? = nil) throws(PostgresError) -> Rows? {
        let deadline = deadline ?? timeouts.deadline
        let handle = try beginConversation()
        defer { isConversing = false }
        guard PQsendQuery(handle, sql) == 1 else { throw endedUnsent() }
        return try lastRows(until: deadline)
    }

    /// Runs a statement and passes its rows one at a time, as they arrive, so memory does not grow with them. If `body` throws, the connection is
    /// closed.
    package func read(
        _ statement: Statement, _ values: [Parameter] = [], until deadline: Deadline,
        _ body: (Rows) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        precondition(underWay.isEmpty, "something is under way")
        try sendForRows(statement, values)
        try sync()
        do throws(PostgresError) {
            try takeRows(until: deadline, body)
        } catch {
            while awaited > 0 { _ = next(until: deadline) }
            throw error
        }
        try takeAll(until: deadline)
    }

    // MARK: One conversation at a time

    /// Outside of the pipeline, which must be empty.
    func beginConversation() throws(PostgresError) -> OpaquePointer {
        precondition(underWay.isEmpty && !isConversing, "something is under way")
        catchUp()
        guard case .open = state, let handle else { throw refusalToSend }
        if PQpipelineStatus(handle) != PQ_PIPELINE_OFF, PQexitPipelineMode(handle) != 1 { throw endedUnsent() }
        isConversing = true
        return handle
    }

    func endedUnsent() -> PostgresError {
        guard let handle else { return refusalToSend }
        let complaint = secrets.hidden(in: LibraryComplaint(handle).last)
        if PQstatus(handle) == CONNECTION_BAD { loseAsBroken() }
        return PostgresError(.notSent, complaint)
    }

    /// Nil after the last. The caller clears it.
    func nextResult(until deadline: Deadline) throws(PostgresError) -> OpaquePointer? {
        if wait(until: deadline, forAnswer: ()) == .deadline { loseAtDeadline() }
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
        // libpq would say so again and again.
        PQclear(result)
        lose(loss("a statement copies rows, and nobody expects it", nil))
        throw lossReason
    }

    /// Notifications that come meanwhile do not end it.
    private func wait(until deadline: Deadline, forAnswer: Void) -> WaitResult {
        while true {
            let wakening = wait(until: deadline)
            if wakening != .notification { return wakening }
        }
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

// Statements sent without waiting for their answers, which are taken later, in order.

import CPostgres

package enum PipelineAnswer {
    /// The rows of a statement. It is committed only once `synced` follows.
    case done(Rows)
    /// The answer to `sync`: the statements sent since the sync before are committed.
    case synced
    case failed(PostgresError)
}

extension Connection {
    /// How many answers have not been taken: one for each `send`, one for each `sync`.
    package var awaited: Int { underWay.count }

    /// Sends a statement. All up to the next `sync` are one transaction: where one is refused, all are.
    package func send(_ statement: Statement, _ values: [Parameter] = []) throws(PostgresError) {
        try enqueue(statement, values, as: .statement)
    }

    /// Sends a statement with rows that are read one at a time with `takeRows`, so memory does not grow with them.
    package func sendForRows(_ statement: Statement, _ values: [Parameter] = []) throws(PostgresError) {
        try enqueue(statement, values, as: .rows)
        if underWay.count == 1 { prepareHead() }
    }

    private func enqueue(_ statement: Statement, _ values: [Parameter], as step: PendingStatements.Step) throws(PostgresError) {
        guard parameters.send(statement, values, on: try pipeline()) else { throw unsent() }
        underWay.append(step)
    }

    /// Commits the statements sent since the last sync.
    package func sync() throws(PostgresError) {
        guard PQpipelineSync(try pipeline()) == 1 else { throw unsent() }
        underWay.append(.sync)
    }

    /// Sends a statement to be prepared.
    func sendPreparation(of statement: Statement) throws(PostgresError) {
        guard PQsendPrepare(try pipeline(), statement.name, statement.sql, 0, nil) == 1 else { throw unsent() }
        underWay.append(.statement)
    }

    private func pipeline() throws(PostgresError) -> OpaquePointer {
        precondition(!isConversing, "another conversation is open")
        if underWay.isEmpty { catchUp() }
        guard case .open = state, let handle else { throw refusalToSend }
        if PQpipelineStatus(handle) == PQ_PIPELINE_OFF, PQenterPipelineMode(handle) != 1 { throw unsent() }
        return handle
    }

    /// Why libpq has not taken it. With statements in flight, the connection is closed: the end of their transaction cannot be sent.
    func unsent() -> PostgresError {
        guard let handle else { return refusalToSend }
        let complaint = secrets.hidden(in: LibraryComplaint(handle).last)
        if PQstatus(handle) == CONNECTION_BAD {
            loseAsBroken()
        } else if !underWay.isEmpty {
            lose(loss(complaint, nil))
        }
        return PostgresError(.notSent, complaint)
    }

    // MARK: Answers

    /// Returns the next answer; rows that were not read are left out. At the deadline the connection is lost, and each statement in flight ends with
    /// an error. At least one statement must be in flight.
    package func next(until deadline: Deadline? = nil) -> PipelineAnswer {
        precondition(!underWay.isEmpty, "nothing is in flight")
        let deadline = deadline ?? timeouts.deadline
        while true {
            if let answer = consumeAnswer(rows: { _ in }) { return answer }
            if wait(until: deadline) == .deadline { loseAtDeadline() }
        }
    }

    /// Hands out the rows of the oldest statement in flight, each as soon as it has come. If `body` throws, the connection is closed.
    package func takeRows(
        until deadline: Deadline, _ body: (Rows) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        precondition(underWay.head == .rows, "no rows are in flight")
        var failure: PostgresError?
        let hand = { (rows: Rows) in
            guard failure == nil else { return }
            do throws(PostgresError) { try body(rows) } catch { failure = error }
        }
        while true {
            let answer = consumeAnswer(rows: hand)
            if let failure {
                close()
                throw failure
            }
            switch answer {
            case .failed(let error): throw error
            case .done(let rows):
                guard rows.count == 0 else { throw PostgresError(.unreadable, "the rows did not come one at a time") }
                return
            case .synced: return
            case nil: if wait(until: deadline) == .deadline { loseAtDeadline() }
            }
        }
    }

    /// Nil if it has not come.
    private func consumeAnswer(rows hand: (Rows) -> Void) -> PipelineAnswer? {
        var isOver = false
        while let handle {
            if case .open = state, PQisBusy(handle) == 1 { return nil }
            if let result = PQgetResult(handle) {
                isOver = false
                if PQresultStatus(result) == PGRES_SINGLE_TUPLE {
                    hand(Rows(result))
                } else if let answer = handleResult(result) {
                    return answer
                }
            } else if let answer = underWay.pending {
                return finish(answer)
            } else if isOver {
                // Either it is lost, or libpq counts otherwise than we do.
                loseAsBroken()
            } else {
                isOver = true
            }
        }
        return afterLoss()
    }

    private func finish(_ answer: PipelineAnswer) -> PipelineAnswer {
        underWay.pending = nil
        underWay.removeHead()
        prepareHead()
        return answer
    }

    /// libpq needs the row mode when it reaches a statement, before it reads the result.
    private func prepareHead() {
        if underWay.head == .rows, let handle { _ = PQsetSingleRowMode(handle) }
    }

    private func afterLoss() -> PipelineAnswer {
        if let answer = underWay.pending { return finish(answer) }
        guard case .lost(let reason) = state else { return .failed(refusalToSend) }
        underWay.removeHead()
        return .failed(reason)
    }

    /// Returns the answer, if it is complete.
    private func handleResult(_ result: OpaquePointer) -> PipelineAnswer? {
        let status = PQresultStatus(result)
        if status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY {
            underWay.pending = .done(Rows(result))
            return nil
        }
        defer { PQclear(result) }
        switch status {
        case PGRES_PIPELINE_SYNC: return handleSync()
        case PGRES_PIPELINE_ABORTED: underWay.pending = .failed(skipped)
        case PGRES_FATAL_ERROR: recordError(result)
        default: lose(loss("a statement of the pipeline has an answer of another kind", nil))
        }
        return nil
    }

    private func handleSync() -> PipelineAnswer? {
        guard underWay.head == .sync else {
            lose(loss("answers are out of step", nil))
            return nil
        }
        let answer = underWay.failure.map(PipelineAnswer.failed) ?? .synced
        underWay.failure = nil
        return finish(answer)
    }

    private func recordError(_ result: OpaquePointer) {
        // libpq reports that the connection is lost.
        guard let error = error(in: result) else { return loseAsBroken() }
        if underWay.failure == nil { underWay.failure = error }
        // A commit that is refused is an error before the end of its transaction, which follows.
        if underWay.head != .sync { underWay.pending = .failed(error) }
    }

    private var skipped: PostgresError {
        guard let failure = underWay.failure else { return PostgresError(.refused, "its transaction was refused") }
        return PostgresError(
            failure.outcome, "another statement of its transaction was refused: \(failure.message)", failure.state)
    }
}

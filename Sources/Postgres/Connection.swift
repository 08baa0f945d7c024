// A connection to PostgreSQL, used by one thread at a time. It waits, but never longer than it is told.

import CPostgres

package final class Connection {
    enum State {
        case open
        /// libpq has lost it. What had arrived before is still taken.
        case broken(reason: String)
        /// It is closed, for this reason, and whatever is under way ends with it.
        case lost(PostgresError)
    }

    package let timeouts: Timeouts
    /// Where it leads, for people.
    package let server: String
    /// Whether TLS protects it.
    package let isSecure: Bool

    let listener: Listener
    let interrupter: Interrupter
    let secrets: Secrets
    let parameters = ParameterList()
    var state = State.open
    var underWay = PendingStatements()
    /// What the server said when it ended the session, as an error of a statement.
    private var farewell: PostgresError?
    /// A conversation outside of the pipeline goes on.
    var isConversing = false
    /// Nil once it is lost.
    private(set) var handle: OpaquePointer?

    /// Opens it. `address` is what libpq takes: a URI or keywords, with its service file, passfile and environment. No error repeats a password.
    package init(
        _ address: String, name: String = "gamed", timeouts: Timeouts = Timeouts(), listener: Listener = Listener(),
        interrupter: Interrupter = Interrupter()
    ) throws(PostgresError) {
        if let trouble = Library.trouble { throw PostgresError(.notSent, trouble) }
        let address = try Address(address)
        let deadline = Deadline(in: timeouts.connect)
        let handle = try ConnectionAttempt(
            address: address, timeouts: timeouts, name: name, listener: listener, interrupter: interrupter
        ).open(until: deadline)
        self.handle = handle
        (self.timeouts, self.listener, self.interrupter) = (timeouts, listener, interrupter)
        server = serverName(handle)
        isSecure = PQsslInUse(handle) == 1
        var secrets = address.secrets
        if let password = PQpass(handle) { secrets.add(String(cString: password)) }
        self.secrets = secrets
        _ = PQsetnonblocking(handle, 1)
        do throws(PostgresError) {
            try run(timeouts.settings, until: deadline)
        } catch {
            throw error.with(.notSent)
        }
    }

    deinit { close() }

    /// Closes it. What is under way ends with an unknown outcome.
    package func close() {
        lose(PostgresError(.unknown, "the connection to \(server) is closed"))
    }

    /// Whether it can be used no more.
    package var isLost: Bool {
        if case .lost = state { true } else { false }
    }

    // MARK: Loss

    /// The first reason counts.
    func lose(_ reason: PostgresError) {
        guard let lost = handle else { return }
        handle = nil
        state = .lost(reason)
        isConversing = false
        PQfinish(lost)
    }

    /// For the reason that libpq or the server gives.
    func loseAsBroken() {
        guard let handle else { return }
        // Whatever has arrived is looked at.
        _ = PQisBusy(handle)
        if let farewell { return lose(farewell) }
        if let farewell = listener.farewell { return lose(loss(farewell.message, farewell.state)) }
        if case .broken(let reason) = state { return lose(loss(reason, nil)) }
        lose(loss(LibraryComplaint(handle).last, nil))
    }

    func loseAtDeadline() {
        lose(loss("it has not answered in time", nil))
    }

    func loss(_ reason: String, _ state: SQLState?) -> PostgresError {
        PostgresError(.unknown, "the connection to \(server) is lost: \(secrets.hidden(in: reason))", state)
    }

    /// Why nothing can be sent.
    var refusalToSend: PostgresError {
        guard case .lost(let reason) = state else { return PostgresError(.notSent, "\(server) cannot be sent anything now") }
        return reason.with(.notSent)
    }

    // MARK: Errors

    /// What the server says of a statement; nil if it is libpq that speaks.
    func error(in result: OpaquePointer) -> PostgresError? {
        let fields = ErrorFields(result)
        guard let state = fields.state else { return nil }
        // Whoever ends a session may do it after the commit, before it is told of.
        if fields.isFatal {
            let error = loss(fields.message, state)
            farewell = error
            return error
        }
        return PostgresError(.refused, secrets.hidden(in: fields.message), state)
    }
}

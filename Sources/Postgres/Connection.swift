// A connection to PostgreSQL, used by one thread at a time. It never waits past the given deadline.

import CLinux
import CPostgres
import Glibc
import Posix

package final class Connection {
    enum State {
        case open
        /// libpq has lost it. Data that had arrived before is still read.
        case broken(reason: String)
        /// It is closed, for this reason. Statements in flight end with it.
        case lost(PostgresError)
    }

    package let timeouts: Timeouts
    /// The server's address, for people.
    package let server: String

    let listener = Listener()
    let interrupter: Interrupter
    let secrets: Secrets
    let parameters = ParameterList()
    var state = State.open
    var underWay = PendingStatements()
    /// The server's message when it ended the session, as an error of a statement.
    private var farewell: PostgresError?
    /// A conversation outside of the pipeline is open.
    var isConversing = false
    /// Nil once it is lost.
    private(set) var handle: OpaquePointer?

    /// Opens it. `address` is what libpq takes: a URI or keywords, with its service file, passfile and environment. No error repeats a password.
    package init(
        _ address: String, name: String = "gamed", timeouts: Timeouts = Timeouts(), interrupter: Interrupter = Interrupter(),
        lookup: @escaping @Sendable (String) throws(HostLookupError) -> [String] = HostLookup.addresses
    ) throws(PostgresError) {
        if let loadError = Library.loadError { throw PostgresError(.notSent, loadError) }
        let address = try Address(address)
        let deadline = Deadline(in: timeouts.connect)
        let handle = try ConnectionAttempt(
            address: address, timeouts: timeouts, name: name, listener: listener, interrupter: interrupter, lookup: lookup
        ).open(until: deadline)
        self.handle = handle
        (self.timeouts, self.interrupter) = (timeouts, interrupter)
        server = serverName(handle)
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

    /// Closes it. Statements in flight end with an unknown outcome.
    package func close() {
        lose(PostgresError(.unknown, "the connection to \(server) is closed"))
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
        // Processes all data that has arrived.
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

    /// The server's error for a statement; nil if the error is libpq's.
    func error(in result: OpaquePointer) -> PostgresError? {
        let fields = ErrorFields(result)
        guard let state = fields.state else { return nil }
        // A session may be ended after its commit, before the commit's answer is sent.
        if fields.isFatal {
            let error = loss(fields.message, state)
            farewell = error
            return error
        }
        return PostgresError(.refused, secrets.hidden(in: fields.message), state)
    }
}

// MARK: - Interrupting the waits of connections, from any thread

/// Several connections may have the same one, also those that are being opened or will be.
package final class Interrupter: Sendable {
    /// Readable once it is interrupted. Below zero if the system has no descriptor left.
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    package init() {}

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends all waits of its connections, now and later: they are lost, and the outcome of statements in flight is unknown.
    package func interrupt() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}

// MARK: - Sent statements without an answer yet, in order

struct PendingStatements {
    enum Step {
        case statement
        /// A statement with rows that are read one at a time.
        case rows
        /// The end of a transaction.
        case sync
    }

    private var steps: [Step] = []
    private var taken = 0
    /// The head's answer, before libpq has reported its end.
    var pending: PipelineAnswer?
    /// Why the transaction at the head is refused, from its first failure to its end.
    var failure: PostgresError?

    var isEmpty: Bool { taken == steps.count }
    var count: Int { steps.count - taken }
    var head: Step? { isEmpty ? nil : steps[taken] }

    mutating func append(_ step: Step) { steps.append(step) }

    mutating func removeHead() {
        taken += 1
        guard taken == steps.count || taken >= 1_024 else { return }
        steps.removeFirst(taken)
        taken = 0
    }
}

// MARK: - Waiting for a server that may start after its clients

extension Connection {
    private static let pauseMicroseconds: UInt32 = 200_000

    /// Opens a connection; retries while the server cannot be reached or is starting. `onWaiting` is called once, with the reason.
    /// Permanent errors, such as a wrong password, are thrown at once.
    package static func open(
        _ address: String, _ timeouts: Timeouts = Timeouts(), waiting timeout: Duration,
        onWaiting: (PostgresError) -> Void
    ) throws(PostgresError) -> Connection {
        let deadline = Deadline(in: timeout)
        var hasReported = false
        while true {
            do throws(PostgresError) {
                return try Connection(address, timeouts: timeouts)
            } catch {
                guard error.mayPass, Library.loadError == nil, !deadline.isOver else { throw error }
                // A malformed address stays malformed.
                _ = try Address(address)
                if !hasReported { onWaiting(error) }
                hasReported = true
                usleep(pauseMicroseconds)
            }
        }
    }
}

extension PostgresError {
    /// Whether a retry may succeed: no server answered, or the server is starting or overloaded.
    fileprivate var mayPass: Bool {
        guard let state else { return outcome != .refused }
        return [.cannotConnectNow, .tooManyConnections, .adminShutdown, .crashShutdown].contains(state)
    }
}

// MARK: - libpq

enum Library {
    /// Why there are no connections: the library is missing.
    static let loadError: String? = gamed_postgres_load().map {
        "PostgreSQL needs libpq, which cannot be loaded: \(String(cString: $0)); Debian's package libpq5 has it"
    }
}

// MARK: - How long a connection waits for what, all of it shorter than a lease.

package struct Timeouts: Equatable, Sendable {
    /// For a connection, over all hosts together.
    package var connect: Duration
    /// For a statement, by the server's clock, including sending its rows. Zero for no limit.
    package var statement: Duration
    /// For a lock that another transaction holds. Zero for as long as it takes.
    package var lock: Duration
    /// For the next statement of an open transaction, by the server's clock. Zero for as long as it takes.
    package var idleInTransaction: Duration
    /// For an answer, by ours.
    package var answer: Duration
    /// For the acknowledgement of sent data by the other machine.
    package var network: Duration

    package init(
        connect: Duration = .seconds(2), statement: Duration = .seconds(2), lock: Duration = .milliseconds(1_500),
        idleInTransaction: Duration = .seconds(2), answer: Duration = .milliseconds(2_500), network: Duration = .seconds(2)
    ) {
        (self.connect, self.statement, self.lock) = (connect, statement, lock)
        (self.idleInTransaction, self.answer, self.network) = (idleInTransaction, answer, network)
    }

    var deadline: Deadline { Deadline(in: answer) }

    /// The keywords for libpq, which the address overrides.
    var keywords: [(name: String, value: String)] {
        [
            ("connect_timeout", "\(max(2, connect.wholeSeconds))"), ("keepalives", "1"),
            ("keepalives_idle", "1"), ("keepalives_interval", "1"), ("keepalives_count", "\(network.wholeSeconds)"),
            ("tcp_user_timeout", "\(network.milliseconds)"),
        ]
    }

    /// The settings sent to the server at the beginning of a session.
    var settings: String {
        """
        SET statement_timeout = \(statement.milliseconds); SET lock_timeout = \(lock.milliseconds); \
        SET idle_in_transaction_session_timeout = \(idleInTransaction.milliseconds); \
        SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = \(network.wholeSeconds); \
        SET tcp_user_timeout = \(network.milliseconds); SET default_transaction_isolation = 'read committed'
        """
    }
}

extension Duration {
    fileprivate var milliseconds: Int { Int((self / .milliseconds(1)).rounded(.up)) }
    fileprivate var wholeSeconds: Int { max(1, Int((self / .seconds(1)).rounded(.up))) }
}

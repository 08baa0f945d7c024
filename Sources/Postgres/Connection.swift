// A connection to PostgreSQL, used by one thread at a time. It waits, but never longer than it is told.

import CLinux
import CPostgres
import Glibc

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

// MARK: - What ends the waiting of a connection, from any thread

package final class Interrupter: Sendable {
    /// Readable once it is interrupted. Below zero if the system has no descriptor left.
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    package init() {}

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends whatever its connections wait for, now and later: they are lost, and the outcome of what is under way is unknown.
    package func interrupt() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}

// MARK: - What has been sent and not been answered yet, in order

struct PendingStatements {
    enum Step {
        case statement
        /// One whose rows are taken one at a time.
        case rows
        /// The end of a transaction.
        case sync
    }

    private var steps: [Step] = []
    private var taken = 0
    /// The head's answer, before libpq has said that there is no more of it.
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

// MARK: - Waiting for a server that is not there yet: it may start after those who need it

extension Connection {
    private static let pauseMicroseconds: UInt32 = 200_000

    /// Opens a connection, and goes on trying while the server cannot be reached or is starting. `whenWaiting` is called once, with the reason.
    /// What will not pass by itself, such as a wrong password, is thrown at once.
    package static func open(
        _ address: String, waiting patience: Duration, whenWaiting: (PostgresError) -> Void
    ) throws(PostgresError) -> Connection {
        let deadline = Deadline(in: patience)
        var hasTold = false
        while true {
            do throws(PostgresError) {
                return try Connection(address)
            } catch {
                guard error.mayPass, Library.trouble == nil, !deadline.isOver else { throw error }
                // What is no address will be none later on.
                _ = try Address(address)
                if !hasTold { whenWaiting(error) }
                hasTold = true
                usleep(pauseMicroseconds)
            }
        }
    }
}

extension PostgresError {
    /// Whether the same may succeed later on: nobody answered, or whoever did is starting or has too much to do.
    fileprivate var mayPass: Bool {
        guard let state else { return outcome != .refused }
        return [.cannotConnectNow, .tooManyConnections, .adminShutdown, .crashShutdown].contains(state)
    }
}

// MARK: - libpq

enum Library {
    /// Why there are no connections: the library is missing.
    static let trouble: String? = gamed_postgres_load().map {
        "PostgreSQL needs libpq, which cannot be loaded: \(String(cString: $0)); Debian's package libpq5 has it"
    }
}

// A connection opened: the hosts in turn, each with its part of the time.

import CPostgres
import Dispatch
import Glibc
import Posix
import Synchronization

struct ConnectionAttempt {
    let address: Address
    let timeouts: Timeouts
    /// The session's name at the server, unless the address has another one.
    let name: String
    let listener: Listener
    let interrupter: Interrupter
    let lookup: @Sendable (String) throws(HostLookupError) -> [String]

    func open(until deadline: Deadline) throws(PostgresError) -> OpaquePointer {
        try checkInterruption()
        var silent: String?
        if address.hosts.isEmpty { return try open(nil, until: deadline, &silent) }
        var complaints: [String] = []
        var state: SQLState?
        for (place, host) in address.hosts.enumerated() {
            do throws(PostgresError) {
                return try openAnywhere(host, until: deadline.share(among: address.hosts.count - place))
            } catch {
                if isInterrupted { throw error }
                complaints.append(error.message)
                state = error.state
            }
        }
        throw PostgresError(.notSent, complaints.joined(separator: "; "), state)
    }

    /// libpq tries the addresses of a name in turn, but stays with one that is silent. So that one is left out after its part of the time.
    private func openAnywhere(_ host: Address.Host, until deadline: Deadline) throws(PostgresError) -> OpaquePointer {
        var addresses = try addresses(of: host)
        var place = addresses.count > 1 ? host.at(addresses) : host
        while true {
            var silent: String?
            do throws(PostgresError) {
                return try open(place, until: deadline.share(among: max(1, addresses.count)), &silent)
            } catch {
                let others = addresses.filter { $0 != silent }
                guard !others.isEmpty, others.count < addresses.count else { throw error }
                addresses = others
                place = host.at(addresses)
            }
        }
    }

    private func addresses(of host: Address.Host) throws(PostgresError) -> [String] {
        guard host.isLookedUp, let name = host.name else { return [] }
        do throws(PostgresError) {
            let addresses = try lookUp(name)
            // A lookup takes its time, and libpq may need another one.
            try checkInterruption()
            return addresses
        } catch {
            throw PostgresError(.notSent, address.secrets.hidden(in: error.message))
        }
    }

    /// On a separate thread: while no name server answers, a lookup takes long, and nothing but an answer ends it.
    private func lookUp(_ name: String) throws(PostgresError) -> [String] {
        let (answer, done) = (LookupAnswer(), DispatchSemaphore(value: 0))
        DispatchQueue(label: "gamed.names").async { [lookup] in
            let found = Result { () throws(HostLookupError) in try lookup(name) }.mapError {
                PostgresError(.notSent, "could not translate host name \"\(name)\" to address: \($0.reason)")
            }
            answer.result.withLock { $0 = found }
            done.signal()
        }
        while done.wait(timeout: .now() + .milliseconds(100)) == .timedOut { try checkInterruption() }
        return try answer.result.withLock { $0 }.get()
    }

    /// `silent` is the address that was waited for until the end.
    private func open(
        _ host: Address.Host?, until deadline: Deadline, _ silent: inout String?
    ) throws(PostgresError) -> OpaquePointer {
        guard let connection = start(host) else {
            throw PostgresError(.notSent, "memory is short: no connection to PostgreSQL")
        }
        do throws(PostgresError) {
            listener.listen(to: connection)
            // With the error's code, which libpq reports in no other way here.
            _ = PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
            try finish(connection, until: deadline)
            _ = PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
            return connection
        } catch {
            if deadline.isOver { silent = PQhostaddr(connection).map { String(cString: $0) } }
            PQfinish(connection)
            throw error
        }
    }

    // MARK: libpq's keywords

    /// Keywords after the address override it.
    private func start(_ host: Address.Host?) -> OpaquePointer? {
        var keywords = timeouts.keywords + [("fallback_application_name", name), ("dbname", address.text)]
        if let host {
            for case let (keyword, value?) in [("host", host.name), ("hostaddr", host.number), ("port", host.port)] {
                keywords.append((keyword, value))
            }
        }
        keywords.append(("client_encoding", "UTF8"))
        let names = keywords.map { strdup($0.name) }
        let values = keywords.map { strdup($0.value) }
        defer { for copy in names + values { free(copy) } }
        let constant = { (words: [UnsafeMutablePointer<CChar>?]) in words.map { UnsafePointer($0) } + [nil] }
        return PQconnectStartParams(constant(names), constant(values), 1)
    }

    // MARK: Waiting

    private func finish(_ connection: OpaquePointer, until deadline: Deadline) throws(PostgresError) {
        guard PQstatus(connection) != CONNECTION_BAD else { throw failure(connection) }
        var state = PGRES_POLLING_WRITING
        while true {
            let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            try wait(connection, Int16(events), until: deadline)
            state = PQconnectPoll(connection)
            if state == PGRES_POLLING_OK { return }
            if state == PGRES_POLLING_FAILED { throw failure(connection) }
        }
    }

    private func wait(_ connection: OpaquePointer, _ events: Int16, until deadline: Deadline) throws(PostgresError) {
        var watched = (
            pollfd(fd: PQsocket(connection), events: events, revents: 0),
            pollfd(fd: interrupter.descriptor, events: Int16(POLLIN), revents: 0)
        )
        while true {
            let left = deadline.milliseconds
            let count = withUnsafeMutableBytes(of: &watched) { poll($0.bindMemory(to: pollfd.self).baseAddress, 2, left) }
            if watched.1.revents != 0 { throw PostgresError(.notSent, "connecting to \(place(connection)) was interrupted") }
            if count > 0 { return }
            if deadline.isOver { throw PostgresError(.notSent, "\(place(connection)) does not answer in time") }
        }
    }

    private func checkInterruption() throws(PostgresError) {
        if isInterrupted { throw PostgresError(.notSent, "connecting to PostgreSQL was interrupted") }
    }

    private var isInterrupted: Bool {
        var watched = pollfd(fd: interrupter.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 0) > 0
    }

    private func place(_ connection: OpaquePointer) -> String { address.secrets.hidden(in: serverName(connection)) }

    private func failure(_ connection: OpaquePointer) -> PostgresError {
        var secrets = address.secrets
        if let password = PQpass(connection) { secrets.add(String(cString: password)) }
        let complaint = LibraryComplaint(connection)
        return PostgresError(.notSent, secrets.hidden(in: complaint.sentence), complaint.state)
    }
}

private final class LookupAnswer: Sendable {
    let result = Mutex<Result<[String], PostgresError>>(.success([]))
}

/// Where a connection leads, for people.
func serverName(_ connection: OpaquePointer) -> String {
    let host = PQhost(connection).map { String(cString: $0) } ?? ""
    let port = PQport(connection).map { String(cString: $0) } ?? ""
    // Clients are shown this, too: a socket's path is not for them.
    if host.hasPrefix("/") { return "PostgreSQL on this machine, port \(port)" }
    return host.isEmpty ? "PostgreSQL" : "PostgreSQL at \(host):\(port)"
}

/// libpq's error, which has several lines, as one sentence.
struct LibraryComplaint {
    private let parts: [String]
    /// Said by the server, if it is in the lines.
    let state: SQLState?

    var sentence: String { parts.isEmpty ? "libpq gives no reason" : parts.joined(separator: "; ") }
    /// The last error: libpq keeps the lines of earlier statements.
    var last: String { parts.last ?? sentence }

    init(_ connection: OpaquePointer) {
        self.init(PQerrorMessage(connection).map { String(cString: $0) } ?? "")
    }

    init(_ text: String) {
        var (parts, state): ([String], SQLState?) = ([], nil)
        // Lines that begin with a tab explain the one above at length.
        for line in text.split(separator: "\n") where !line.hasPrefix("LOCATION:") && !line.hasPrefix("\t") {
            let (part, code) = Self.withoutCode(String(line))
            state = state ?? code
            if !parts.contains(part) { parts.append(part) }
        }
        (self.parts, self.state) = (parts, state)
    }

    /// `FATAL:  28P01: reason` without the code.
    private static func withoutCode(_ line: String) -> (String, SQLState?) {
        let bytes = Array(line.utf8)
        let isCode = { (byte: UInt8) in (48...57).contains(byte) || (65...90).contains(byte) }
        guard bytes.count > 10 else { return (line, nil) }
        for place in 0..<bytes.count - 9 where bytes[place...].starts(with: [58, 32, 32]) {
            let code = bytes[place + 3..<place + 8]
            guard code.allSatisfy(isCode), bytes[(place + 8)...].starts(with: [58, 32]) else { continue }
            let rest = bytes[...(place + 1)] + bytes[(place + 10)...]
            return (String(decoding: rest, as: UTF8.self), SQLState(String(decoding: code, as: UTF8.self)))
        }
        return (line, nil)
    }
}

// MARK: - Errors of statements and connections

package struct PostgresError: Error, Equatable, CustomStringConvertible, Sendable {
    package enum Outcome: Sendable {
        /// The server refused it. The transaction is certainly rolled back.
        case refused
        /// The server has not got it.
        case notSent
        /// The connection was lost after it was sent: it may have been done or not.
        case unknown
        /// It was answered, but not with what the caller reads.
        case unreadable
    }

    package let outcome: Outcome
    /// The server's code, if it sent one.
    package let state: SQLState?
    package let message: String

    package init(_ outcome: Outcome, _ message: String, _ state: SQLState? = nil) {
        (self.outcome, self.message, self.state) = (outcome, message, state)
    }

    package var description: String { state.map { "\(message) (SQLSTATE \($0.code))" } ?? message }

    /// The same reason for another statement.
    func with(_ outcome: Outcome) -> PostgresError { PostgresError(outcome, message, state) }
}

/// PostgreSQL's code for an error.
package struct SQLState: Equatable, Sendable {
    package let code: String

    package init(_ code: String) { self.code = code }

    package static let invalidAuthorization = SQLState("28000")
    package static let invalidPassword = SQLState("28P01")
    package static let diskFull = SQLState("53100")
    package static let tooManyConnections = SQLState("53300")
    package static let adminShutdown = SQLState("57P01")
    package static let crashShutdown = SQLState("57P02")
    package static let cannotConnectNow = SQLState("57P03")
}

// MARK: - Until when something may take. Time that the machine sleeps counts, as for a lease.

package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    package init(in duration: Duration) { end = .now + duration }

    /// In milliseconds, as for poll(2); an hour if negative.
    package init(inMilliseconds milliseconds: Int32) {
        self.init(in: milliseconds < 0 ? .seconds(3_600) : .milliseconds(Int(milliseconds)))
    }

    private init(_ end: ContinuousClock.Instant) { self.end = end }

    package var isOver: Bool { end <= .now }

    /// The remaining time, as poll(2) wants it: 0 only once the deadline has passed.
    package var milliseconds: Int32 {
        let left = (end - .now) / .milliseconds(1)
        return left <= 0 ? 0 : Int32(min(left.rounded(.up), 60_000))
    }

    /// An equal part of the remaining time.
    func share(among count: Int) -> Deadline {
        let now = ContinuousClock.now
        return end <= now ? self : Deadline(now + (end - now) / count)
    }
}

// All open connections, and their shared state.

import Commands
import EventLoop
import Glibc
import Logging
import Memory
import Posix
import RESP

package final class Connections: GatedOutput {
    /// Totals since the start.
    package struct Counts {
        package var accepted = 0
        var acceptedTcp = 0
        var failedHandshakes = 0
        var refused = 0
        var cutOff = 0
        /// Of those, cut off because all clients together held too much memory.
        var cutOffForMemory = 0
    }

    /// The input of this turn.
    package let arrivals: Arrivals
    package var counts = Counts()
    /// The service around it, which lives longer.
    package var delegate: (any ConnectionsDelegate)? {
        get { currentDelegate }
        set { currentDelegate = newValue }
    }
    // Stored apart, since other modules would check each access for exclusivity.
    private unowned var currentDelegate: (any ConnectionsDelegate)?
    /// Bytes held for all connections together: a running total.
    package var bytes: Int { heldBytes }
    var heldBytes = 0
    /// Bytes that clients over HTTP hold, as of the end of the last turn.
    private(set) var httpBytes = 0
    /// The most bytes that the connections may hold, beside the clients over HTTP.
    private(set) var maxBytes = 0
    package let loop: Loop
    /// Owns the connections, and outlives them.
    unowned(unsafe) let host: Host
    /// A copy of the host's limits: reading them from another module copies the whole struct each time.
    private(set) var limits: Limits
    /// The requests being carried out.
    let batch = RequestBatch()
    /// Whether the journal is too far behind: no requests are read then.
    @exclusivity(unchecked) package var isDiskBehind = false {
        didSet { if !isDiskBehind { resumeReading() } }
    }
    private let log: Log
    /// Nil without TLS.
    weak var certificate: ServerCertificate?
    var open: [Int: Connection] = [:]
    private var lastID = 0
    /// Connections to flush at the end of this turn.
    @exclusivity(unchecked) private var toFlush: [Connection] = []
    /// Connections that continue in the next turn, and how many of them already have.
    private var waiting: [Connection] = []
    private var served = 0
    /// Connections with output held until it is on disk.
    @exclusivity(unchecked) private var held: [Connection] = []
    /// Connections not read until the journal has caught up.
    private var waitingForDisk: [Int: Connection] = [:]
    /// Closed in this turn, and kept until its end: the callback of one may be running.
    private var closed: [Connection] = [] {
        didSet { hasClosed = !closed.isEmpty }
    }
    private var hasClosed = false
    private var busyTurns = 0
    var users: UserNames
    /// Open connections by token, address and user, without those of strangers.
    var shares = ShareCount(.connections)
    let strangers: Deadlines
    /// Those that have not finished their TLS handshake and will be no strangers.
    private let handshakes: Deadlines
    private let leaving: Deadlines
    let warm: RecentConnections

    package init(of host: Host, on loop: Loop) throws(LoopFailure) {
        self.loop = loop
        self.host = host
        arrivals = Arrivals(on: loop)
        limits = host.limits
        maxBytes = limits.clientBytes
        log = host.log
        strangers = try Deadlines(on: loop)
        handshakes = try Deadlines(on: loop)
        leaving = try Deadlines(on: loop)
        warm = try RecentConnections(on: loop)
        users = try UserNames(on: loop)
    }

    package var count: Int { open.count }
    /// In order of arrival.
    var all: [Connection] { open.values.sorted { $0.id < $1.id } }
    func count(where predicate: (Connection) -> Bool) -> Int { open.values.count(where: predicate) }

    // MARK: Accepting

    /// With a certificate it speaks TLS.
    package func accept(
        _ descriptor: consuming Descriptor, at transport: Transport, through certificate: ServerCertificate? = nil
    ) {
        if let user = unnamedUser(at: descriptor.number, transport) { return accept(descriptor, onceKnown: user) }
        guard let grant = grant(at: descriptor.number, transport) else { return refuseUser(at: descriptor) }
        if open.count + closed.count >= limits.connections { makeRoom() }
        let consumer = consumer(of: descriptor.number, transport, grant)
        do throws(CommandError) {
            guard open.count < limits.connections else {
                throw .limit(\.connections, "limit of \(open.count) connections reached")
            }
            if let consumer { try shares.check(consumer, of: limits.connections, limits) }
        } catch {
            return refuse(descriptor, error, sendsReason: certificate == nil)
        }
        lastID += 1
        guard
            let connection = try? Connection(
                descriptor, id: lastID, transport: transport, grant: grant, through: certificate, among: self)
        else {
            return log.write(.error, provokedBy: .descriptors, "cannot accept connection: out of memory")
        }
        counts.accepted += 1
        if transport == .tcp { counts.acceptedTcp += 1 }
        log.debug("\(connection.address) connected")
        open[lastID] = connection
        charge(connection, to: consumer)
        if grant.trust == .unauthenticated {
            trackUnauthenticated(connection, limits)
        } else if certificate != nil {
            handshakes.add(connection, milliseconds: limits.strangerMilliseconds)
        }
        // Others hold nothing before they speak.
        if certificate != nil { count(connection) }
    }

    /// The user at the other end, if it is admitted and its name is not known yet.
    private func unnamedUser(at descriptor: Int32, _ transport: Transport) -> uid_t? {
        guard transport == .unix, let peer = PeerIdentity(of: descriptor), users[peer.user] == nil else { return nil }
        return host.access.local.role(of: peer) == nil ? nil : peer.user
    }

    /// Nothing is read from the connection until then: events have their sender's name.
    private func accept(_ descriptor: consuming Descriptor, onceKnown user: uid_t) {
        if users.waitingCount >= limits.strangers {
            let reason = CommandError.limit(
                \.strangers, "limit of \(limits.strangers) connections whose user's name is being looked up reached")
            guard let expelled = users.expel(for: user) else { return refuse(descriptor, reason) }
            refuse(expelled, reason)
        }
        users.lookUp(user, for: descriptor) { [unowned self] in accept($0, at: .unix) }
    }

    /// The loop itself calls this, so no connection is in the middle of anything: those closed in this turn give their descriptors back.
    private func makeRoom() {
        arrivals.answerAll()
        // Those without a token are bounded by themselves, and make room at once.
        if open.count >= limits.connections, let stranger = expelStranger(for: \.connections) {
            // A reply of this turn may be about a change that is not durable yet: of a client that had a token until its RESET.
            if stranger.answered > 0 { stranger.close() } else { stranger.releaseOutput(awaiting: nil) }
        }
        releaseClosed()
    }

    /// The grant of a connecting client; nil if it is not admitted.
    private func grant(at descriptor: Int32, _ transport: Transport) -> Grant? {
        switch transport {
        case .unix:
            guard let peer = PeerIdentity(of: descriptor), let role = host.access.local.role(of: peer) else { return nil }
            return role == .master ? .daemon : Grant(name: userName(peer.user), role: role)
        case .tcp:
            let isLoopback = host.access.trustsLoopback && TcpListener.isLoopback(descriptor)
            return host.access.networkGrant(isLoopback: isLoopback)
        }
    }

    private func refuseUser(at descriptor: borrowing Descriptor) {
        // By number: looking a name up may take long, and any user of the machine can get here.
        let user = PeerIdentity(of: descriptor.number).map { "\($0.user)" } ?? "?"
        refuse(
            descriptor,
            CommandError(
                .noPermission,
                "this daemon admits only its own user, root, and users and groups of --allow-user and --allow-group, "
                    + "not '\(user)'"))
    }

    /// Access has changed: closes connections with credentials that are no longer valid.
    package func revokeAccess() {
        for connection in all where !isStillIn(connection) {
            connection.answerBeforeCutOff(
                CommandError(
                    .unknown,
                    "your permissions have changed, and the connection is closed: pending requests may or may not be executed; check before you repeat them (SEND with IF or ID makes that safe)"
                ))
            connection.cutOff("its permissions have changed")
        }
    }

    private func isStillIn(_ connection: Connection) -> Bool {
        if let token = connection.client.token { return host.access.isInForce(token) }
        switch connection.transport {
        case .unix:
            let role = PeerIdentity(of: connection.descriptor.number).flatMap(host.access.local.role)
            return role == connection.client.grant.role
        case .tcp: return connection.trust != .guest || grant(at: connection.descriptor.number, .tcp)?.trust == .guest
        }
    }

    func completeHandshake(of connection: Connection) {
        handshakes.remove(connection)
        count(connection)
    }

    /// The name of the user at the other end, or its number.
    func userName(at descriptor: Int32) -> String {
        PeerIdentity(of: descriptor).map { userName($0.user) } ?? "?"
    }

    private func userName(_ user: uid_t) -> String { users[user] ?? "\(user)" }

    private func refuse(_ descriptor: borrowing Descriptor, _ reason: CommandError, sendsReason: Bool = true) {
        counts.refused += 1
        log.write(
            .notice, provokedBy: .refusedConnection, about: LogSubject(code: reason.code.text),
            "refused a connection: \(reason)")
        guard sendsReason else { return }
        let line = "-\(reason)\r\n"
        _ = send(descriptor.number, line, line.utf8.count, Int32(MSG_NOSIGNAL))
    }

    package func applyLimits() {
        limits = host.limits
        maxBytes = limits.clientBytes(besides: httpBytes)
        for connection in open.values { connection.applyLimits() }
    }

    /// The bound of all clients' bytes is one for sockets and HTTP, where they hold `bytes` now.
    package func share(withHTTP bytes: Int) {
        guard bytes != httpBytes else { return }
        httpBytes = bytes
        maxBytes = limits.clientBytes(besides: bytes)
        makeRoomForBytes()
    }

    // MARK: Flushing and waiting

    /// Flushes the connection's output at the end of the turn.
    func scheduleFlush(_ connection: Connection) {
        guard connection.phase != .closed else { return }
        if !connection.isFlushScheduled {
            connection.isFlushScheduled = true
            toFlush.append(connection)
        }
        count(connection)
    }

    func deferToNextTurn(_ connection: Connection) {
        if waiting.isEmpty { scheduleResume() }
        waiting.append(connection)
    }

    private func scheduleResume() {
        loop.schedule { [unowned self] in resumeDeferred() }
    }

    /// Resumes connections in order of arrival, as far as the turn's budget allows. One that has to yield waits behind the others again.
    private func resumeDeferred() {
        let end = waiting.count
        repeat {
            let next = waiting[served]
            served += 1
            loop.areClientsWaiting = served < waiting.count
            next.resume()
        } while served < end && !loop.isBudgetExhausted
        loop.areClientsWaiting = false
        if served >= waiting.count / 2 {
            waiting.removeFirst(served)
            served = 0
        }
        if !waiting.isEmpty { scheduleResume() }
    }

    func deferUntilJournalCatchesUp(_ connection: Connection) {
        waitingForDisk[connection.id] = connection
    }

    /// The journal has caught up.
    func resumeReading() {
        let now = waitingForDisk.values.sorted { $0.id < $1.id }
        waitingForDisk = [:]
        for connection in now { deferToNextTurn(connection) }
    }

    // MARK: Closing

    /// Gives the client a deadline for reading the remaining output.
    func startClosingDeadline(for connection: Connection) {
        strangers.remove(connection)
        leaving.add(connection, milliseconds: limits.strangerMilliseconds)
    }

    func forget(_ connection: Connection) {
        strangers.remove(connection)
        handshakes.remove(connection)
        leaving.remove(connection)
        warm.remove(connection)
        waitingForDisk[connection.id] = nil
        connection.host.subscriptions.removeAll(of: connection.client)
        heldBytes -= connection.stopCountingMemory()
        if let connection = open.removeValue(forKey: connection.id) {
            charge(connection, to: nil)
            closed.append(connection)
        }
    }

    /// The daemon is stopping.
    package func finish() {
        users.closeWaiting()
        for connection in all { connection.finish() }
    }

    // MARK: The end of a turn

    /// The one place that lets a turn's output leave: at once, or when the batch that it depends on is on disk.
    package func releaseOutput(awaiting batch: UInt64?) {
        guard !toFlush.isEmpty else { return }
        countBusyTurn()
        var next = 0
        while next < toFlush.count {
            let connection = toFlush[next]
            next += 1
            connection.releaseOutput(awaiting: batch)
            guard connection.isHeldBack, !connection.isAmongHeld else { continue }
            connection.isAmongHeld = true
            held.append(connection)
        }
        if next > Self.maxKept { toFlush = [] }
        // `removeAll` costs a hundred instructions, and mostly there is one.
        while !toFlush.isEmpty { toFlush.removeLast() }
    }

    /// Capacity for this many connections is kept from turn to turn.
    private static let maxKept = 256

    /// All batches up to this one are on disk.
    package func releaseHeld(through safe: UInt64) {
        held.removeAll { connection in
            connection.releaseHeld(through: safe)
            connection.isAmongHeld = connection.isHeldBack
            return !connection.isAmongHeld
        }
    }

    /// The disk has failed: held output is replaced by this error.
    package func retractHeld(_ error: CommandError, safeThrough: UInt64, keepingMessages: Bool) {
        for connection in held {
            connection.retractHeld(error, safeThrough: safeThrough, keepingMessages: keepingMessages)
        }
    }

    /// The process is about to end: pending requests get this reply, and no further input is read.
    package func answerWaiting(_ error: CommandError) {
        for connection in all { connection.answerAndClose(error) }
    }

    /// Ends a turn: frees the connections that were closed in it.
    package func releaseClosed() {
        guard hasClosed else { return }
        for connection in closed { connection.releaseResources() }
        closed = []
        countBusyTurn()
        currentDelegate?.connectionDidClose()
    }

    private func countBusyTurn() {
        if busyTurns == 0 { currentDelegate?.connectionsDidBecomeBusy() }
        busyTurns &+= 1
    }

    /// The turns since the last call in which a connection has read, written or closed.
    package func resetBusyTurns() -> Int {
        defer { busyTurns = 0 }
        return busyTurns
    }
}

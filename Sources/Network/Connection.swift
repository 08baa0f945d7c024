// One connection: bytes in, commands, bytes out. It lives until either side closes.

import Commands
import EventLoop
import Glibc
import Posix
import RESP

final class Connection {
    enum Phase {
        /// Requests are read and answered.
        case open
        /// Sends the remaining output; reads no further input.
        case closing
        /// Has been told why it is cut off. Sends what the kernel takes at once, and waits for nothing.
        case expelled
        /// Over. Keeps its descriptor until the end of the turn, since one of its callbacks may still be running.
        case closed
    }

    /// Whether requests are read, and the reason for waiting if not.
    enum ReadState {
        /// Requests are read and answered at once.
        case reading
        /// Has used up its share of this turn: not read until the next one.
        case waitsForTurn
        /// A reply is due later: the next request is answered after it.
        case waitsForAnswer
        /// Backpressure: not read until the client has read its replies.
        case waitsForClient
        /// Backpressure: not read until the journal has caught up.
        case waitsForDisk
    }

    let client: Client
    let output: ReplyBuffer
    private let call: Call
    /// Owns this connection, and outlives it.
    unowned(unsafe) let connections: Connections
    let transport: Transport
    // Where exclusivity is unchecked, no access outlasts a call, and a check per request would cost as much as parsing it.
    // Only this class uses the rest of its fields, here and in ConnectionOutput.swift and ConnectionEnd.swift.

    @exclusivity(unchecked) var descriptor: Descriptor
    /// An incomplete request, and requests not answered yet.
    @exclusivity(unchecked) var input = ByteQueue(keeping: 0)
    @exclusivity(unchecked) var parser: RequestParser
    /// Of a connection in clear.
    var readable: DescriptorWatch?
    var writable: DescriptorWatch?
    /// Of one through TLS.
    var secure: SecureStream?
    var phase = Phase.open
    var readState = ReadState.reading
    /// The daemon is stopping: answers the requests read so far, and reads no further ones.
    var isDraining = false
    /// The daemon is about to read the input for the last time.
    var isFinishing = false
    private var wrongTokens = 0
    /// The consumer that the connection counts for; nil for an unauthenticated client.
    var charged: Consumer?
    @exclusivity(unchecked) var held = OutputGate()
    /// Requests answered since the last flush.
    var answered = 0
    /// Whether it is in the list of connections to flush at the end of the turn.
    var isFlushScheduled = false
    /// Whether it is in the list of connections with held output.
    var isAmongHeld = false
    /// Whether it has sent anything since its buffers were last released.
    var isWarm = false
    /// Bytes of memory it held when last counted.
    private(set) var counted = 0

    init(
        _ descriptor: consuming Descriptor, id: Int, transport: Transport, grant: Grant,
        through certificate: ServerCertificate?, among connections: Connections
    ) throws(LoopFailure) {
        self.descriptor = descriptor
        self.transport = transport
        parser = RequestParser(limits: connections.limits.requests(of: grant.trust))
        self.connections = connections
        client = Client(id: id, from: .network, grant: grant, keeping: 16 << 10, of: connections.host)
        (output, call) = (client.output, client.call)
        try openBytes(certificate)
        // Its address is known by then.
        client.endpoint = self
    }

    deinit {
        client.endpoint = nil
    }

    var id: Int { client.id }
    var host: Host { connections.host }
    var trust: ClientTrust { client.trust }

    /// Computed once, since it is logged after the descriptor is closed, too.
    private(set) lazy var address: String = {
        switch transport {
        case .unix: "unix:" + (PeerIdentity(of: descriptor.number).map { "user=\($0.user),process=\($0.process)" } ?? "?")
        case .tcp: (secure == nil ? "tcp:" : "tls:") + (TcpAddress.text(of: descriptor.number, peer: true) ?? "?")
        }
    }()

    /// The user at the other end of a UNIX socket; over the network, the token's name, or the address without a port where none was sent.
    var actor: String { localUser ?? client.token?.id ?? machine ?? address }

    /// Of the other end, without a port.
    private(set) lazy var machine: String? = transport == .tcp ? TcpAddress.machine(at: descriptor.number) : nil

    var localUser: String? { transport == .unix ? connections.userName(at: descriptor.number) : nil }

    // MARK: In

    func receive() {
        guard phase == .open, readState == .reading else { return }
        if connections.isDiskBehind { return waitForDisk() }
        connections.arrivals.read(self)
    }

    /// Nothing has come, or the connection has ended; what came before is answered first.
    func didNotRead(_ result: Int) {
        if result < 0, errno == EAGAIN || errno == EINTR { return }
        let isEnd = result == 0
        connections.arrivals.answerAll()
        // At the end it has closed its sending side; it may still read.
        if isEnd { closeWhenAnswered() } else { close() }
    }

    /// Answers new input in place if nothing is buffered before it: most connections never buffer any.
    func answer(with new: UnsafeRawBufferPointer) {
        defer { connections.scheduleFlush(self) }
        if input.isEmpty {
            let used = answer(in: new)
            input.append(UnsafeRawBufferPointer(rebasing: new[used...]))
        } else {
            input.append(new)
            answerWaiting()
        }
        guard phase == .open, readState == .reading, input.count > connections.limits.requestBytes else { return }
        refuse(.limit(\.requestBytes, "a request is longer than \(connections.limits.requestBytes) bytes"))
    }

    private func answerWaiting() {
        let used = answer(in: input.bytes)
        input.consume(used)
    }

    /// Answers complete requests, up to the limits of a turn and of unread output. Returns how many bytes were consumed.
    private func answer(in bytes: UnsafeRawBufferPointer) -> Int {
        let (batch, limits) = (connections.batch, connections.limits)
        connections.loop.beginShare()
        var (used, left, isStopped) = (0, limits.turnRequests, false)
        while phase == .open, left > 0, !isStopped, output.count < limits.pauseBytes, !connections.isDiskBehind {
            // The limits of the next request may depend on this one: it may be AUTH.
            let most = min(left, trust == .unauthenticated ? 1 : RequestBatch.size)
            batch.fill(&parser, from: UnsafeRawBufferPointer(rebasing: bytes[used...]), atMost: most)
            batch.withNames { host.sessions.prefetch($0, hints: &$1) }
            let done = execute(0..<batch.count, of: batch)
            used += batch.length(of: 0..<done)
            left -= done
            isStopped = done < batch.count || readState == .waitsForAnswer
            if isStopped { continue }
            if let error = batch.error { refuse(CommandError(.generic, "Protocol error: \(error)")) }
            if batch.count < most { break }
        }
        guard phase == .open else { return bytes.count }
        // The rest of the batch is parsed again when its turn comes.
        if isStopped { parser.beginAgain() }
        pauseIfNeeded(hasMore: isStopped || left == 0)
        return used
    }

    /// Answers these requests, which are all that `bytes` has.
    func answer(_ requests: Range<Int>, of batch: RequestBatch, in bytes: UnsafeRawBufferPointer) {
        let done = execute(requests, of: batch)
        guard phase == .open else { return connections.scheduleFlush(self) }
        let used = batch.length(of: requests.lowerBound..<requests.lowerBound &+ done)
        if used < bytes.count { input.append(UnsafeRawBufferPointer(rebasing: bytes[used...])) }
        pauseIfNeeded(hasMore: used < bytes.count)
        connections.scheduleFlush(self)
    }

    /// Whether its next input begins with a request, and all of it can be parsed at once: before AUTH, each request may change the limits of the next.
    var isBetweenRequests: Bool { input.isEmpty && trust != .unauthenticated }

    /// Stops reading for the disk, for a client that does not read, or for the other clients. `hasMore` if requests are left.
    private func pauseIfNeeded(hasMore: Bool) {
        if readState == .waitsForAnswer { return }
        if connections.isDiskBehind {
            waitForDisk()
        } else if output.count >= connections.limits.pauseBytes {
            suspend()
        } else if hasMore {
            waitForTurn()
        }
    }

    /// The bytes of replies above which the next ones are written in another turn.
    private static let maxAnswerBytes = 256 << 10
    /// After a reply of more bytes the time is looked at, since writing it may have taken long.
    private static let longAnswer = 1 << 10

    /// Returns how many requests were carried out: one with a long reply, or slow work, may be the last of a turn.
    private func execute(_ requests: Range<Int>, of batch: RequestBatch) -> Int {
        let loop = connections.loop
        var (next, written) = (requests.lowerBound, output.count)
        let end = min(connections.limits.pauseBytes, written &+ Self.maxAnswerBytes)
        while next < requests.upperBound, phase == .open, written < end, !loop.mustYield, readState == .reading {
            handle(batch[next])
            loop.fireDueTimers()
            next &+= 1
            let now = output.count
            if now &- written > Self.longAnswer { loop.charge(bytes: now &- written) }
            written = now
        }
        loop.charge(pieces: next &- requests.lowerBound)
        loop.charge(bytes: batch.length(of: requests.lowerBound..<next))
        return next &- requests.lowerBound
    }

    private func handle(_ request: Request) {
        guard request.words.count > 0 else { return }
        // A browser, or a page that makes one send this (cross-protocol scripting): nothing in it is meant for us.
        if request.words.lookLikeHTTP { return close() }
        answered &+= 1
        call.execute(request)
    }

    private func refuse(_ error: CommandError) {
        guard phase == .open else { return }
        answered &+= 1
        output.append(error: error.code, error.sentence)
        closeWhenSent()
    }

    // MARK: Fairness

    private func suspend() {
        readState = .waitsForClient
        stopReading()
    }

    func waitForTurn() {
        readState = .waitsForTurn
        connections.deferToNextTurn(self)
    }

    private func waitForDisk() {
        readState = .waitsForDisk
        stopReading()
        connections.deferUntilJournalCatchesUp(self)
    }

    /// Resumes reading in a later turn.
    func resume() {
        guard phase == .open, readState == .waitsForTurn || readState == .waitsForDisk else { return }
        readState = .reading
        answerWaiting()
        if readState == .reading { resumeReading() }
        connections.scheduleFlush(self)
    }

    private func resumeReading() {
        guard phase == .open else { return }
        if isDraining { return closeWhenSent() }
        do { try startReading() } catch { close() }
    }

    /// A limit has changed.
    func applyLimits() {
        parser.limits = connections.limits.requests(of: trust)
    }

    // MARK: Memory

    /// The change in memory held since the last count.
    func countMemory() -> Int {
        var now = input.footprint + output.footprint + parser.footprint + client.stateBytes
        if let secure { now += secure.footprint }
        defer { counted = now }
        return now - counted
    }

    /// Returns the memory last counted, and counts as nothing from now on.
    func stopCountingMemory() -> Int {
        defer { counted = 0 }
        return counted
    }

    /// Releases buffers that are empty.
    func releaseBuffers() {
        isWarm = false
        output.releaseMemory()
        input.releaseMemory()
        parser.releaseMemory()
        connections.countLess(self)
    }
}

extension Connection: ClientEndpoint {
    var mayAuthenticate: Bool { transport == .tcp && host.access.tokens.isAsked }
    var isOpen: Bool { phase == .open }

    /// A request counts as answered when its reply is there.
    func didDeferReply() {
        answered &-= 1
        readState = .waitsForAnswer
        stopReading()
    }

    func didCompleteReply() {
        guard phase != .closed else { return }
        held.replyIsComplete()
        answered &+= 1
        if readState == .waitsForAnswer { waitForTurn() }
        connections.scheduleFlush(self)
    }

    func didPushMessage(_ bytes: Int) {
        guard output.count < connections.limits.outputBytes else { return cutOffSlowReader() }
        held.markMessages(bytes, output.count)
        connections.scheduleFlush(self)
    }

    func didChangeTrust() {
        // The rest of an EXEC runs after its client has disconnected: it is not charged again.
        guard phase != .closed else { return }
        applyLimits()
        connections.updateTrust(of: self)
    }

    func checkRoom(for token: Token) throws(CommandError) { try connections.checkRoom(for: token, self) }

    func didRejectToken(_ error: CommandError) {
        let wait = error.code == .limit ? ", and too many of them" : ""
        host.log.write(.warning, provokedBy: .wrongToken, "a wrong token from \(address)\(wait)")
        wrongTokens += 1
        if wrongTokens >= Access.maxWrongTokens { closeWhenSent() }
    }

    /// Closes the connection when the turn's output leaves, or at once if it has none: a commit of other clients' changes is not awaited then.
    func closeWhenAnswered() {
        closeWhenSent()
        if output.isEmpty { sendMore() } else { connections.scheduleFlush(self) }
    }

    /// Closes the connection once its output is sent.
    func closeWhenSent() {
        guard phase == .open else { return }
        phase = .closing
        stopReading()
        connections.startClosingDeadline(for: self)
    }
}

extension Limits {
    /// The limits of a request from a client of that trust.
    package func requests(of trust: ClientTrust) -> RequestLimits {
        RequestLimits(isAuthenticated: trust != .unauthenticated, arguments: arguments, bulk: argumentBytes)
    }
}

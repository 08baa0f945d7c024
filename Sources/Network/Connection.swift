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
        /// What is still to be sent is sent; nothing more is read.
        case closing
        /// It has been told why it must go. What the system takes of that at once is sent, and nobody waits until it is read.
        case expelled
        /// It is over. Until the end of the turn it keeps its descriptor: somebody may be in the middle of something with it.
        case closed
    }

    /// Whether its requests are heard.
    enum Hearing {
        /// What comes is read and answered at once.
        case attentive
        /// It has asked for more than a turn's worth: it goes on in the next turn, and until then nothing is read.
        case waitsForItsTurn
        /// It does not read its answers: until it has, nothing is read.
        case suspended
        /// The disk does not keep up: until it has, nothing is read.
        case waitsForDisk
    }

    let client: Client
    let output: ReplyBuffer
    private let call: Call
    /// They own it, and outlive it.
    unowned(unsafe) let connections: Connections
    let door: Door
    // No access to these outlasts a call; to check that at every request would cost as much as to parse it.

    // The rest of this class is in ConnectionOutput.swift and ConnectionEnd.swift; nobody else touches these.

    @exclusivity(unchecked) var descriptor: Descriptor
    /// The beginning of a request that has not come in whole, and requests that wait to be answered.
    @exclusivity(unchecked) var input = ByteQueue(keeping: 0)
    @exclusivity(unchecked) var parser: RequestParser
    var readable: DescriptorWatch?
    var writable: DescriptorWatch?
    @exclusivity(unchecked) var phase = Phase.open
    @exclusivity(unchecked) var hearing = Hearing.attentive
    /// The daemon ends: what has come is answered, and nothing more is read.
    var isLastWord = false
    private var wrongGuesses = 0
    @exclusivity(unchecked) var held = HeldOutput()
    /// Requests that have been answered since its output was last looked at.
    @exclusivity(unchecked) var answered = 0
    /// Whether it is among those whose output is looked at when this turn ends.
    @exclusivity(unchecked) var isTalking = false
    /// Whether it has sent anything since its memory was last looked at.
    var isWarm = false
    /// What it held, in bytes, when that was last counted.
    @exclusivity(unchecked) private(set) var counted = 0

    init(
        _ descriptor: consuming Descriptor, id: Int, door: Door, standing: Standing, among connections: Connections
    ) throws(LoopFailure) {
        let number = descriptor.number
        self.descriptor = descriptor
        self.door = door
        parser = RequestParser(limits: connections.host.limits.requests(of: standing))
        self.connections = connections
        client = Client(id: id, from: .network, standing: standing, keeping: 16 << 10, of: connections.host)
        (output, call) = (client.output, client.call)
        client.endpoint = self
        readable = try DescriptorWatch(number, .readable, on: connections.loop) { [unowned self] in receive() }
        writable = try DescriptorWatch(number, .writable, on: connections.loop) { [unowned self] in sendMore() }
        try readable?.start()
    }

    deinit {
        client.endpoint = nil
    }

    var id: Int { client.id }
    var host: Host { connections.host }
    var standing: Standing { client.standing }

    /// Asked for once: it is said when the connection is over, too.
    private(set) lazy var address: String = {
        switch door {
        case .unix: "unix:" + (PeerIdentity(of: descriptor.number).map { "user=\($0.user),process=\($0.process)" } ?? "?")
        case .tcp: "tcp:" + (TcpListener.place(of: descriptor.number, peer: true) ?? "?")
        }
    }()

    // MARK: In

    func receive() {
        guard phase == .open, hearing == .attentive else { return }
        if connections.isCrowded { return waitForDisk() }
        let room = connections.scratch
        let count = read(descriptor.number, room.baseAddress, room.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        if count == 0 { return hungUp() }
        guard count > 0 else { return close() }
        answer(with: UnsafeRawBufferPointer(rebasing: room[..<count]))
        connections.hasSpoken(self)
    }

    /// The other side says no more; it may still read.
    private func hungUp() {
        closeWhenSent()
        connections.hasSpoken(self)
    }

    /// Answers what has come, in place where nothing waits before it: most connections never hold a byte of input.
    private func answer(with new: UnsafeRawBufferPointer) {
        if input.isEmpty {
            let used = answer(in: new)
            input.append(UnsafeRawBufferPointer(rebasing: new[used...]))
        } else {
            input.append(new)
            answerWaiting()
        }
        guard phase == .open, hearing == .attentive, input.count > host.limits.requestBytes else { return }
        refuse("LIMIT", "a request is longer than \(host.limits.requestBytes) bytes" + Limit.advice(\.requestBytes))
    }

    private func answerWaiting() {
        let used = answer(in: input.bytes)
        input.consume(used)
    }

    /// Answers the requests that are complete, as long as the answers are taken and no longer than others can wait; says how many
    /// bytes are done with.
    private func answer(in bytes: UnsafeRawBufferPointer) -> Int {
        let (batch, limits) = (connections.batch, host.limits)
        var (used, left, isStopped) = (0, limits.turnRequests, false)
        while phase == .open, left > 0, !isStopped, output.count < limits.pauseBytes, !connections.isCrowded {
            // What may be asked behind an AUTH is known when that has been carried out.
            let most = min(left, standing == .stranger ? 1 : RequestBatch.size)
            batch.fill(&parser, from: UnsafeRawBufferPointer(rebasing: bytes[used...]), atMost: most)
            host.sessions.prefetch(batch)
            let done = carryOut(batch, pauseAt: limits.pauseBytes)
            used += batch.length(of: done)
            left -= done
            isStopped = done < batch.count
            if isStopped { continue }
            if let error = batch.error { refuse("ERR", "Protocol error: \(error)") }
            if batch.count < most { break }
        }
        guard phase == .open else { return bytes.count }
        // The rest of the batch is read again when its turn has come.
        if isStopped { parser.beginAgain() }
        if connections.isCrowded {
            waitForDisk()
        } else if output.count >= limits.pauseBytes {
            suspend()
        } else if isStopped || left == 0 {
            waitForTurn()
        }
        return used
    }

    /// Says how many of the requests have been carried out: one whose answer is long, or takes long, may be the last of a turn.
    private func carryOut(_ batch: RequestBatch, pauseAt most: Int) -> Int {
        let loop = connections.loop
        var done = 0
        while done < batch.count, phase == .open, output.count < most, !loop.isFull {
            handle(batch[done])
            loop.settle()
            done &+= 1
        }
        loop.hasHandled(done)
        return done
    }

    private func handle(_ request: Request) {
        guard request.words.count > 0 else { return }
        // Somebody's browser, or something that makes one send this: nothing that it says is meant for us.
        if request.words.lookLikeHTTP { return close() }
        answered &+= 1
        call.carryOut(request)
    }

    private func refuse(_ code: String, _ sentence: String) {
        guard phase == .open else { return }
        answered &+= 1
        output.append(error: code, sentence)
        closeWhenSent()
    }

    // MARK: Fairness

    private func suspend() {
        hearing = .suspended
        readable?.stop()
    }

    func waitForTurn() {
        hearing = .waitsForItsTurn
        connections.goesOnNextTurn(self)
    }

    private func waitForDisk() {
        hearing = .waitsForDisk
        readable?.stop()
        connections.waitsForDisk(self)
    }

    /// Its turn has come again.
    func goOn() {
        guard phase == .open, hearing == .waitsForItsTurn || hearing == .waitsForDisk else { return }
        hearing = .attentive
        answerWaiting()
        if hearing == .attentive { listenAgain() }
        connections.hasSpoken(self)
    }

    private func listenAgain() {
        guard phase == .open else { return }
        if isLastWord { return closeWhenSent() }
        do { try readable?.start() } catch { close() }
    }

    /// Somebody has moved a limit.
    func followLimits() {
        parser.limits = host.limits.requests(of: standing)
    }

    // MARK: Memory

    /// How much more it holds than when it was last counted.
    @inline(__always)
    func countMemory() -> Int {
        let now = input.footprint + output.footprint + parser.footprint + client.subscriptionBytes
        defer { counted = now }
        return now - counted
    }

    /// It is over, and counts no more; what it held until now.
    func isCountedNoMore() -> Int {
        defer { counted = 0 }
        return counted
    }

    /// Gives back memory that nobody needs at the moment.
    func coolDown() {
        isWarm = false
        output.releaseMemory()
        input.releaseMemory()
        parser.releaseMemory()
        connections.countLess(self)
    }
}

extension Connection: ClientEndpoint {
    var isAskedForToken: Bool { door == .tcp && host.access.token != nil }
    var isOpen: Bool { phase == .open }

    func hasMessage() {
        guard output.count < host.limits.outputBytes else { return doesNotRead() }
        connections.hasSpoken(self)
    }

    func standingHasChanged() {
        followLimits()
        connections.hasNewStanding(self)
    }

    func guessedWrongly() {
        host.log.write(.warning, provokedBy: .wrongToken, "a wrong token from \(address)")
        wrongGuesses += 1
        if wrongGuesses >= Access.mostWrongGuesses { closeWhenSent() }
    }

    /// Ends the connection once what has been said is sent.
    func closeWhenSent() {
        guard phase == .open else { return }
        phase = .closing
        readable?.stop()
        connections.isLeaving(self)
    }
}

extension Limits {
    /// What may be asked at once by somebody of that standing.
    package func requests(of standing: Standing) -> RequestLimits {
        RequestLimits(isAuthenticated: standing != .stranger, arguments: arguments, bulk: argumentBytes)
    }
}

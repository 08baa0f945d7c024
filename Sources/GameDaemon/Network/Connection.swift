// One connection: bytes in, commands, bytes out. It lives until either side closes.

import CEvent
import Glibc
import RESP

final class Connection: Client {
    private enum Phase {
        /// Requests are read and answered.
        case open
        /// What is still to be sent is sent; nothing more is read.
        case closing
        /// It is over.
        case closed
    }

    /// Whether its requests are heard.
    private enum Hearing {
        /// What comes is read and answered at once.
        case attentive
        /// It has asked for more than a turn's worth: it goes on in the next turn, and until then nothing is read.
        case waitsForItsTurn
        /// It does not read its answers: until it has, nothing is read.
        case suspended
        /// The disk does not keep up: until it has, nothing is read.
        case waitsForDisk
    }

    let door: Door
    private let descriptor: Descriptor
    // No access to these outlasts a call; to check that at every request would cost as much as to parse it.

    /// The beginning of a request that has not come in whole, and requests that wait to be answered.
    @exclusivity(unchecked) private var input = ByteQueue(keeping: 0)
    @exclusivity(unchecked) private var parser: RequestParser
    private var readable: DescriptorWatch?
    private var writable: DescriptorWatch?
    @exclusivity(unchecked) private var phase = Phase.open
    @exclusivity(unchecked) private var hearing = Hearing.attentive
    /// The daemon ends: what has come is answered, and nothing more is read.
    private var isLastWord = false
    private var wrongGuesses = 0
    @exclusivity(unchecked) private var held = HeldOutput()
    /// Requests that have been answered since its output was last looked at.
    @exclusivity(unchecked) private var answered = 0
    /// Whether it has sent anything since its memory was last looked at.
    var isWarm = false

    init(_ descriptor: consuming Descriptor, id: Int, door: Door, standing: Standing, daemon: Daemon) throws(LoopFailure) {
        self.descriptor = descriptor
        self.door = door
        parser = RequestParser(limits: daemon.limits.requests(of: standing))
        super.init(id: id, from: .network, standing: standing, keeping: 16 << 10, of: daemon)
        let number = self.descriptor.number
        readable = try DescriptorWatch(number, .readable, on: daemon.loop) { [unowned self] in receive() }
        writable = try DescriptorWatch(number, .writable, on: daemon.loop) { [unowned self] in send() }
        try readable?.start()
    }

    private var connections: Connections { daemon.connections }
    var isClosing: Bool { phase == .closing }

    override var isAskedForToken: Bool { door == .tcp && daemon.access.token != nil }

    override var address: String {
        switch door {
        case .unix: "unix:" + (PeerIdentity(of: descriptor.number).map { "user=\($0.user),process=\($0.process)" } ?? "?")
        case .tcp: "tcp:" + (TcpListener.place(of: descriptor.number, peer: true) ?? "?")
        }
    }

    // MARK: In

    private func receive() {
        guard phase == .open, hearing == .attentive else { return }
        if daemon.isCrowded { return waitForDisk() }
        let room = connections.scratch
        let count = read(descriptor.number, room.baseAddress, room.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        if count == 0 { return hungUp() }
        guard count > 0 else { return close() }
        answer(with: UnsafeRawBufferPointer(rebasing: room[..<count]))
        connections.hasOutput(self)
    }

    /// The other side says no more; it may still read.
    private func hungUp() {
        closeWhenSent()
        connections.hasOutput(self)
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
        guard phase == .open, hearing == .attentive, input.count > daemon.limits.requestBytes else { return }
        refuse("LIMIT", "a request is longer than \(daemon.limits.requestBytes) bytes" + Limit.advice(\.requestBytes))
    }

    private func answerWaiting() {
        let used = answer(in: input.bytes)
        input.consume(used)
    }

    /// Answers the requests that are complete, as long as the answers are taken and no longer than others can wait; says how many
    /// bytes are done with.
    private func answer(in bytes: UnsafeRawBufferPointer) -> Int {
        let (batch, limits) = (daemon.batch, daemon.limits)
        var (used, left) = (0, limits.turnRequests)
        while phase == .open, left > 0, output.count < limits.pauseBytes, !daemon.isCrowded {
            // What may be asked behind an AUTH is known when that has been carried out.
            let most = min(left, standing == .stranger ? 1 : RequestBatch.size)
            batch.fill(&parser, from: UnsafeRawBufferPointer(rebasing: bytes[used...]), atMost: most)
            daemon.sessions.foresee(batch)
            carryOut(batch)
            used += batch.length
            left -= batch.count
            if let error = batch.error { refuse("ERR", "Protocol error: \(error)") }
            if batch.count < most { break }
        }
        guard phase == .open else { return bytes.count }
        if daemon.isCrowded {
            waitForDisk()
        } else if output.count >= limits.pauseBytes {
            suspend()
        } else if left == 0 {
            waitForTurn()
        }
        return used
    }

    private func carryOut(_ batch: RequestBatch) {
        let loop = daemon.loop
        for number in 0..<batch.count where phase == .open {
            handle(batch[number])
            loop.settle()
        }
        loop.hasHandled(batch.count)
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
        output.append(error: code, sentence)
        closeWhenSent()
    }

    // MARK: Fairness

    private func suspend() {
        hearing = .suspended
        readable?.stop()
    }

    private func waitForTurn() {
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
        connections.hasOutput(self)
    }

    private func listenAgain() {
        guard phase == .open else { return }
        if isLastWord { return closeWhenSent() }
        do { try readable?.start() } catch { close() }
    }

    // MARK: Out

    override func push(_ words: [String]) {
        guard phase == .open else { return }
        super.push(words)
        connections.hasOutput(self)
    }

    /// The turn is over, and what has been said in it may leave.
    func releaseOutput() {
        held.letGo(output.count)
        answered = 0
        send()
    }

    /// The turn is over, and what has been said in it must not leave before this batch is safe.
    func holdOutput(until batch: UInt64) {
        held.hold(output.count, answers: answered, until: batch)
        answered = 0
    }

    /// All batches up to this one are safe. True if something still waits.
    func releaseHeld(through safe: UInt64) -> Bool {
        held.release(through: safe)
        send()
        return held.isHolding && phase != .closed
    }

    /// What it was told is not on disk, and will not be soon: it is told that instead.
    func takeBack(_ error: CommandError, safe: UInt64) {
        let vain = held.giveUp(output.count, safe: safe)
        output.takeBack(vain.bytes)
        for _ in 0..<vain.answers { output.append(error: error.code, error.sentence) }
        if vain.answers > 0 { held.letGo(output.count) }
        send()
    }

    /// Sends what the connection takes; the rest waits until it takes more.
    private func send() {
        while phase != .closed, held.free > 0 {
            let bytes = output.unsent
            let count = Glibc.send(descriptor.number, bytes.baseAddress, held.free, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return waitToSend() }
            guard count > 0 else { return close() }
            output.consume(count)
            held.hasSent(count)
        }
        writable?.stop()
        guard output.isEmpty else { return }
        if phase == .closing { return close() }
        if hearing == .suspended { waitForTurn() }
        if !isWarm { connections.hasWarmedUp(self) }
    }

    private func waitToSend() {
        guard output.count < daemon.limits.outputBytes else {
            return cutOff("it does not read what it is sent: \(output.count) bytes wait")
        }
        do { try writable?.start() } catch { close() }
    }

    /// Gives back memory that nobody needs at the moment.
    func coolDown() {
        isWarm = false
        output.releaseMemory()
        input.releaseMemory()
    }

    // MARK: Who it is

    override func becomes(_ standing: Standing) {
        super.becomes(standing)
        followLimits()
        connections.hasNewStanding(self)
    }

    override func guessedWrongly() {
        daemon.log.write(.warning, provokedBy: .wrongToken, "a wrong token from \(address)")
        wrongGuesses += 1
        if wrongGuesses >= Access.mostWrongGuesses { closeWhenSent() }
    }

    /// Somebody has moved a limit.
    func followLimits() {
        parser.limits = daemon.limits.requests(of: standing)
    }

    // MARK: The end

    /// Ends the connection once what has been said is sent.
    override func closeWhenSent() {
        guard phase == .open else { return }
        phase = .closing
        readable?.stop()
        connections.isLeaving(self)
    }

    /// The daemon ends: what has come until now is answered, and then the connection closes.
    func finish() {
        guard phase == .open else { return }
        receive()
        isLastWord = true
        if hearing == .attentive { closeWhenSent() }
        connections.hasOutput(self)
    }

    /// Ends the connection for what the other side has done, or has not done.
    func cutOff(_ reason: String) {
        guard phase != .closed else { return }
        connections.counts.cutOff += 1
        daemon.log.write(.notice, provokedBy: .cutOff, "cut off \(address): \(reason)")
        close()
    }

    /// It had a time in which to say who it is, or to read its last answers.
    func timeIsUp() {
        switch phase {
        case .closed: return
        case .closing: cutOff("it does not read the last of what it is sent")
        case .open:
            output.append(error: "NOAUTH", "no token has come within \(daemon.limits.strangerMilliseconds) ms")
            releaseOutput()
            cutOff("it has not said who it is")
        }
    }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        daemon.log.debug("\(address) is gone")
        readable?.stop()
        writable?.stop()
        connections.forget(self)
    }
}

extension Limits {
    /// What may be asked at once by somebody of that standing.
    func requests(of standing: Standing) -> RequestLimits {
        RequestLimits(isAuthenticated: standing != .stranger, arguments: arguments, bulk: argumentBytes)
    }
}

// One connection: bytes in, commands, bytes out. It lives until either side closes.

import CEvent
import Glibc
import RESP

final class Connection: Client {
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
    // No access to these outlasts a call; to check that at every request would cost as much as to parse it.

    @exclusivity(unchecked) private var descriptor: Descriptor
    /// The beginning of a request that has not come in whole, and requests that wait to be answered.
    @exclusivity(unchecked) private var input = ByteQueue(keeping: 0)
    @exclusivity(unchecked) private var parser: RequestParser
    private var readable: DescriptorWatch?
    private var writable: DescriptorWatch?
    @exclusivity(unchecked) private(set) var phase = Phase.open
    @exclusivity(unchecked) private var hearing = Hearing.attentive
    /// The daemon ends: what has come is answered, and nothing more is read.
    private var isLastWord = false
    private var wrongGuesses = 0
    @exclusivity(unchecked) private var held = HeldOutput()
    /// Requests that have been answered since its output was last looked at.
    @exclusivity(unchecked) private var answered = 0
    /// Whether it is among those whose output is looked at when this turn ends.
    @exclusivity(unchecked) var isTalking = false
    /// Whether it has sent anything since its memory was last looked at.
    var isWarm = false
    /// What it held, in bytes, when that was last counted.
    @exclusivity(unchecked) private(set) var counted = 0

    init(_ descriptor: consuming Descriptor, id: Int, door: Door, standing: Standing, daemon: Daemon) throws(LoopFailure) {
        let number = descriptor.number
        self.descriptor = descriptor
        self.door = door
        parser = RequestParser(limits: daemon.limits.requests(of: standing))
        super.init(id: id, from: .network, standing: standing, keeping: 16 << 10, of: daemon)
        readable = try DescriptorWatch(number, .readable, on: daemon.loop) { [unowned self] in receive() }
        writable = try DescriptorWatch(number, .writable, on: daemon.loop) { [unowned self] in sendMore() }
        try readable?.start()
    }

    private var connections: Connections { daemon.connections }
    override var isAskedForToken: Bool { door == .tcp && daemon.access.token != nil }

    override var address: String { place }

    /// Asked for once: it is said when the connection is over, too.
    private lazy var place: String = {
        switch door {
        case .unix: "unix:" + (PeerIdentity(of: descriptor.number).map { "user=\($0.user),process=\($0.process)" } ?? "?")
        case .tcp: "tcp:" + (TcpListener.place(of: descriptor.number, peer: true) ?? "?")
        }
    }()

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
        var (used, left, isStopped) = (0, limits.turnRequests, false)
        while phase == .open, left > 0, !isStopped, output.count < limits.pauseBytes, !daemon.isCrowded {
            // What may be asked behind an AUTH is known when that has been carried out.
            let most = min(left, standing == .stranger ? 1 : RequestBatch.size)
            batch.fill(&parser, from: UnsafeRawBufferPointer(rebasing: bytes[used...]), atMost: most)
            daemon.sessions.foresee(batch)
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
        if daemon.isCrowded {
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
        let loop = daemon.loop
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
        connections.hasSpoken(self)
    }

    private func listenAgain() {
        guard phase == .open else { return }
        if isLastWord { return closeWhenSent() }
        do { try readable?.start() } catch { close() }
    }

    // MARK: Out

    override func push(_ words: [ByteString]) {
        guard phase == .open else { return }
        super.push(words)
        guard output.count < daemon.limits.outputBytes else { return doesNotRead() }
        connections.hasSpoken(self)
    }

    /// The turn is over. What has been said in it may leave, or must wait until this batch is safe: that is decided in one place,
    /// `Connections.releaseOutput`, and nothing leaves that has not been through here.
    func release(awaiting batch: UInt64?) {
        isTalking = false
        guard phase != .closed else { return }
        defer { answered = 0 }
        if let batch { return held.hold(output.count, answers: answered, until: batch) }
        held.letGo(output.count)
        sendMore()
    }

    /// Whether something that it was told waits for the disk.
    var isHeldBack: Bool { held.isHolding && phase != .closed }

    /// All batches up to this one are safe.
    func releaseHeld(through safe: UInt64) {
        guard phase != .closed else { return }
        held.release(through: safe)
        sendMore()
    }

    /// What it was told is not on disk, and will not be soon: it is told that instead.
    func takeBack(_ error: CommandError, safe: UInt64) {
        guard phase != .closed else { return }
        let vain = held.giveUp(output.count, safe: safe)
        output.takeBack(vain.bytes)
        for _ in 0..<vain.answers { output.append(error: error.code, error.sentence) }
        // All that had not been released is gone, and this is true whatever becomes of the disk.
        if vain.answers > 0 { held.letGo(output.count) }
        sendMore()
    }

    private func sendMore() {
        guard phase != .closed else { return }
        send()
        connections.count(self)
    }

    /// Sends what has been released, as far as the connection takes it; the rest waits until it takes more.
    private func send() {
        while held.free > 0 {
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
        switch phase {
        case .open: break
        case .closing, .expelled: return close()
        case .closed: return
        }
        if hearing == .suspended { waitForTurn() }
        if !isWarm { connections.hasWarmedUp(self) }
    }

    private func waitToSend() {
        guard phase != .expelled else { return close() }
        guard output.count < daemon.limits.outputBytes else { return doesNotRead() }
        do { try writable?.start() } catch { close() }
    }

    private func doesNotRead() { cutOff("it does not read what it is sent: \(output.count) bytes wait") }

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

    // MARK: Memory

    /// How much more it holds than when it was last counted.
    @inline(__always)
    func countMemory() -> Int {
        let now = input.footprint + output.footprint + parser.footprint + subscriptionBytes
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
        connections.hasSpoken(self)
    }

    /// Ends the connection for what the other side has done, or has not done.
    func cutOff(_ reason: String) {
        guard phase != .closed else { return }
        hasBeenCutOff(reason)
        close()
    }

    private func hasBeenCutOff(_ reason: String) {
        connections.counts.cutOff += 1
        daemon.log.write(.notice, provokedBy: .cutOff, "cut off \(address): \(reason)")
    }

    /// It had a time in which to say who it is, or to read its last answers.
    func timeIsUp() {
        switch phase {
        case .open:
            expel("no token has come within \(daemon.limits.strangerMilliseconds) ms", "it has not said who it is")
        // It is not to blame for the disk, and not to be told what that has not kept.
        case .closing where held.isHolding: connections.isLeaving(self)
        case .closing: cutOff("it does not read the last of what it is sent")
        case .expelled: close()
        case .closed: return
        }
    }

    /// It has not said who it is, and another one has come.
    func makeRoom() {
        let most = daemon.limits.strangers
        expel(
            "another connection needed the room: at most \(most) may be here without a token",
            "others without a token needed the room")
    }

    /// Somebody who has not said who it is goes, and is told why when the turn ends.
    private func expel(_ sentence: String, _ reason: String) {
        guard phase == .open else { return }
        hasBeenCutOff(reason)
        output.append(error: "NOAUTH", sentence)
        phase = .expelled
        readable?.stop()
        connections.isLeaving(self)
        connections.hasSpoken(self)
    }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        daemon.log.debug("\(address) is gone")
        readable?.stop()
        writable?.stop()
        // Nobody will be sent it. The input stays until the turn is over: a request in it may be the one that is carried out.
        output.removeAll()
        output.releaseMemory()
        connections.forget(self)
    }

    /// The turn in which it has ended is over: whoever still holds it, it holds nothing itself.
    func letGo() {
        (readable, writable) = (nil, nil)
        descriptor.close()
        input.removeAll()
        input.releaseMemory()
    }
}

extension Limits {
    /// What may be asked at once by somebody of that standing.
    func requests(of standing: Standing) -> RequestLimits {
        RequestLimits(isAuthenticated: standing != .stranger, arguments: arguments, bulk: argumentBytes)
    }
}

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

    /// Above this, no more is read from whoever does not read.
    private static let muchOutput = 1 << 20
    /// Above this, whoever does not read is cut off.
    private static let tooMuchOutput = 64 << 20
    private static let readSize = 64 << 10
    /// How large a request may grow.
    private static let mostInput = 64 << 20

    private let descriptor: Descriptor
    // No access to these outlasts a call; to check that at every request would cost as much as to parse it.
    @exclusivity(unchecked) private var input = ByteQueue()
    @exclusivity(unchecked) private var parser = RequestParser(
        limits: RequestLimits(isAuthenticated: true, arguments: 1 << 16, bulk: 32 << 20))
    private var readable: DescriptorWatch?
    private var writable: DescriptorWatch?
    @exclusivity(unchecked) private var phase = Phase.open

    init(_ descriptor: consuming Descriptor, id: Int, daemon: Daemon) throws(LoopFailure) {
        self.descriptor = descriptor
        super.init(id: id, from: .network, of: daemon)
        let number = self.descriptor.number
        readable = try DescriptorWatch(number, .readable, on: daemon.loop) { [unowned self] in receive() }
        writable = try DescriptorWatch(number, .writable, on: daemon.loop) { [unowned self] in send() }
        try readable?.start()
    }

    // MARK: In

    private func receive() {
        guard phase == .open else { return }
        let room = input.room(for: Self.readSize)
        let count = read(descriptor.number, room.baseAddress, room.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return close() }
        input.commit(count)
        handleRequests()
        daemon.hasOutput(self)
    }

    /// Answers every request that is complete, as long as the answers are taken.
    private func handleRequests() {
        let batch = daemon.batch
        while phase == .open, output.count < Self.muchOutput {
            batch.fill(&parser, from: input.bytes, atMost: RequestBatch.size)
            daemon.sessions.foresee(batch)
            carryOut(batch)
            input.consume(batch.length)
            if let error = batch.error { refuse("Protocol error: \(error)") }
            if batch.count < RequestBatch.size { break }
        }
        if input.count > Self.mostInput { refuse("the request is longer than \(Self.mostInput) bytes") }
        if output.count >= Self.muchOutput { readable?.stop() }
    }

    private func carryOut(_ batch: RequestBatch) {
        let loop = daemon.loop
        for number in 0..<batch.count where phase == .open {
            handle(batch[number])
            loop.settle()
        }
    }

    private func handle(_ request: Words) {
        guard request.count > 0 else { return }
        // Somebody's browser, or something that makes one send this: nothing that it says is meant for us.
        if request.lookLikeHTTP { return close() }
        call.carryOut(request)
    }

    private func refuse(_ sentence: String) {
        guard phase == .open else { return }
        output.append(error: "ERR", sentence)
        closeWhenSent()
    }

    // MARK: Out

    override func push(_ words: [String]) {
        guard phase == .open else { return }
        super.push(words)
        daemon.hasOutput(self)
    }

    /// Sends what the connection takes; the rest waits until it takes more.
    func send() {
        while phase != .closed, !output.isEmpty {
            let bytes = output.unsent
            let count = Glibc.send(descriptor.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return waitToSend() }
            guard count > 0 else { return close() }
            output.consume(count)
        }
        writable?.stop()
        if phase == .closing { return close() }
        goOnReading()
    }

    private func waitToSend() {
        guard output.count < Self.tooMuchOutput else { return close() }
        do { try writable?.start() } catch { close() }
    }

    /// Whoever had been made to wait is heard again.
    private func goOnReading() {
        guard phase == .open, let readable, !readable.isActive else { return }
        do { try readable.start() } catch { return close() }
        handleRequests()
        if !output.isEmpty { daemon.hasOutput(self) }
    }

    /// Ends the connection once what has been said is sent.
    override func closeWhenSent() {
        guard phase == .open else { return }
        phase = .closing
        readable?.stop()
    }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        readable?.stop()
        writable?.stop()
        daemon.forget(self)
    }
}

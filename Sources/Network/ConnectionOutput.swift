// Sending a connection's output, once it may leave; and its bytes, in clear or through TLS: both ways as descriptors have it.

import EventLoop
import Glibc
import Logging
import Memory
import RESP

extension Connection {
    /// The turn is over: its output may leave, or is held until this batch is on disk. `Connections.releaseOutput` decides which, and
    /// nothing leaves by another way.
    func releaseOutput(awaiting batch: UInt64?) {
        isFlushScheduled = false
        guard phase != .closed else { return }
        defer { answered = 0 }
        let isReplyDue = client.takeDeferredExecution()
        if let batch { return held.hold(output.count, answers: answered, isReplyDue: isReplyDue, until: batch) }
        if let last = held.lastBatch { release(behind: last) } else { held.release(output.count) }
        sendMore()
    }

    /// While the disk fails, messages of earlier turns still wait for it. Replies to requests that change nothing overtake them; messages
    /// do not.
    private func release(behind last: UInt64) {
        guard answered > 0 else { return held.hold(output.count, answers: 0, until: last) }
        let (unsent, waiting) = (Array(output.unsent), held.waiting)
        output.removeLast(unsent.count - waiting.lowerBound)
        append(unsent[waiting.upperBound...])
        append(unsent[waiting])
        held.overtake(by: unsent.count - waiting.upperBound)
        // A view among them may be newer than one that waits.
        host.subscriptions.resendAll(to: client)
    }

    private func append(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { output.append(preencoded: $0) } }

    /// Whether some of its output waits for the disk.
    var isHeldBack: Bool { held.isHolding && phase != .closed }

    /// All batches up to this one are on disk.
    func releaseHeld(through safe: UInt64) {
        guard phase != .closed else { return }
        held.release(through: safe)
        sendMore()
    }

    /// The disk has failed: replaces the replies that wait for it with this error. Messages among them keep waiting, or are dropped. This turn's output
    /// behind them stays behind them, and is released later. An EXEC with a later reply may have made some of the changes: it gets this error.
    func retractHeld(_ error: CommandError, safeThrough: UInt64, keepingMessages: Bool) {
        guard phase != .closed else { return }
        held.release(through: safeThrough)
        let isExecutionUnsafe = held.isReplyDue
        let discarded = held.discardUnsafe(output.count)
        // One that closes is not kept open for messages.
        if discarded.answers > 0 { replace(discarded, by: error, keepingMessages: keepingMessages && phase == .open) }
        guard isExecutionUnsafe else { return sendMore() }
        client.discardMessages()
        client.answer(error)
        releaseOutput(awaiting: nil)
    }

    private func replace(_ discarded: OutputGate.Unsafe, by error: CommandError, keepingMessages: Bool) {
        let unsent = Array(output.unsent)
        output.removeLast(discarded.bytes + discarded.behind)
        for _ in 0..<discarded.answers { output.append(error: error.code, error.sentence) }
        // The error is true whether or not the disk recovers.
        held.release(output.count)
        if keepingMessages { hold(discarded.messages.map { unsent[$0] }, until: discarded.batch) }
        append(unsent.suffix(discarded.behind))
        if !keepingMessages { host.subscriptions.resendAll(to: client) }
    }

    private func hold(_ messages: [ArraySlice<UInt8>], until batch: UInt64) {
        for message in messages {
            append(message)
            held.markMessages(message.count, output.count)
        }
        if !messages.isEmpty { held.hold(output.count, answers: 0, until: batch) }
    }

    /// Sends released output, as much as the socket takes; the rest waits until it is writable.
    func sendMore() {
        guard phase != .closed else { return }
        defer { connections.count(self) }
        while held.free > 0 {
            let count = writeBytes(output.unsent, atMost: held.free)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return waitToSend() }
            guard count > 0 else { return close() }
            output.consume(count)
            held.advance(bySent: count)
        }
        stopAwaitingRoom()
        guard output.isEmpty else { return }
        switch phase {
        case .open: break
        case .closing, .expelled: return closeWhenDrained()
        case .closed: return
        }
        if readState == .waitsForClient { waitForTurn() }
        if client.hasPendingViews { host.subscriptions.resumeSending(to: client) }
        if !isWarm { connections.warm.add(self) }
    }

    private func waitToSend() {
        guard phase != .expelled else { return close() }
        guard output.count < connections.limits.outputBytes else { return cutOffSlowReader() }
        do { try awaitRoom() } catch { close() }
    }

    /// Output that is still to be encrypted, or waits for room, is not lost. The client has a deadline for reading it.
    private func closeWhenDrained() {
        if isDrained { close() } else { secure?.awaitRoom() }
    }

    func cutOffSlowReader() { cutOff("it does not read its replies: \(output.count) bytes are pending") }
}

// MARK: - Bytes, in clear or through TLS

extension Connection {
    /// Watches the descriptor, or begins the handshake.
    func openBytes(_ certificate: ServerCertificate?) throws(LoopFailure) {
        let number = descriptor.number
        guard let certificate else {
            readable = try DescriptorWatch(number, .readable, on: connections.loop) { [unowned self] in receive() }
            writable = try DescriptorWatch(number, .writable, on: connections.loop) { [unowned self] in sendMore() }
            try readable?.start()
            return
        }
        guard let stream = SecureStream(number, certificate, on: connections.loop) else {
            throw .cannotWatch("a descriptor: out of memory")
        }
        stream.delegate = self
        secure = stream
        stream.startReading()
    }

    /// As `recv`, which costs less than `read`.
    func readBytes(into buffer: borrowing ReadBuffer, at range: Range<Int>) -> Int {
        let room = buffer[range]
        guard let secure else { return recv(descriptor.number, room.baseAddress, room.count, 0) }
        return isFinishing ? secure.readAll(into: room) : secure.read(into: room)
    }

    /// As `send`.
    func writeBytes(_ bytes: UnsafeRawBufferPointer, atMost count: Int) -> Int {
        guard let secure else { return Glibc.send(descriptor.number, bytes.baseAddress, count, Int32(MSG_NOSIGNAL)) }
        return secure.send(bytes, atMost: count)
    }

    func startReading() throws(LoopFailure) {
        if let secure { secure.startReading() } else { try readable?.start() }
    }

    func stopReading() {
        if let secure { secure.stopReading() } else { readable?.stop() }
    }

    func awaitRoom() throws(LoopFailure) {
        if let secure { secure.awaitRoom() } else { try writable?.start() }
    }

    func stopAwaitingRoom() {
        if let secure { secure.awaitNoRoom() } else { writable?.stop() }
    }

    /// Whether the system has all that was sent.
    var isDrained: Bool { secure?.isDrained ?? true }

    /// Whether it has not finished its TLS handshake.
    var isShakingHands: Bool { secure?.isBeginning ?? false }
}

extension Connection: SecureStreamDelegate {
    func streamDidOpen() { connections.completeHandshake(of: self) }

    func streamIsReadable() { receive() }

    func streamIsWritable() { sendMore() }

    func streamDidFail() { close() }
}

// MARK: - Handshakes that fail, at the page too

extension Connections: ServerCertificateDelegate {
    /// Counts and logs failed handshakes with this certificate.
    package func watch(_ certificate: ServerCertificate) {
        self.certificate = certificate
        certificate.delegate = self
    }

    package func handshakeDidFail(_ fault: HandshakeFault) {
        counts.failedHandshakes += 1
        // A client that only probes the port is not worth a line.
        let level: Log.Level = fault.reason == nil ? .debug : .notice
        host.log.write(
            level, provokedBy: .cutOff,
            "TLS handshake with tls:\(fault.client ?? "?") failed: \(fault.reason ?? "connection closed")")
    }
}

// A connection's bytes, in clear or through TLS: both ways as descriptors have it.

import EventLoop
import Glibc
import Logging
import Memory

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

// A connection's bytes through TLS: libevent's stream on OpenSSL, with the calls of a descriptor that does not block.

import CEvent
import COpenSSL
import Glibc

/// Notified of what happens to a stream.
package protocol SecureStreamDelegate: AnyObject {
    /// The handshake is over.
    func streamDidOpen()
    /// There is something to read, or the end.
    func streamIsReadable()
    /// There is room, or everything is on its way.
    func streamIsWritable()
    func streamDidFail()
}

/// Reads and writes as `read` and `send` do, and says when there is more to read or room to write. The descriptor stays its owner's, who
/// closes it after this is gone.
package final class SecureStream {
    private enum State {
        /// The handshake is not over.
        case beginning
        case open
        /// The client has ended its side. It still reads.
        case ended
        case failed
    }

    /// Bytes that wait to be encrypted, or decrypted bytes that wait to be read.
    private static let maxWaiting = 128 << 10
    /// More are taken once so few are left.
    private static let fewWaiting = 32 << 10
    /// The additional memory of a session, and of one in its handshake.
    private static let ownBytes = 12 << 10
    private static let handshakeBytes = 44 << 10

    private let stream: OpaquePointer
    private let session: OpaquePointer
    private let loop: Loop
    private var state = State.beginning
    private var isReading = false
    /// Enough has been read ahead. (libevent's own bound may stop it in the middle of a record; it then gets no further event for the rest.)
    private var isAhead = false
    private var wantsRoom = false
    /// libevent may call back while bytes are written to it. Such events are reported after the write.
    private var isSending = false
    private var hasTakenSome = false

    /// Owns it.
    package unowned var delegate: (any SecureStreamDelegate)?

    /// Nil if memory runs out.
    package init?(_ descriptor: Int32, _ certificate: ServerCertificate, on loop: Loop) {
        guard let session = certificate.session() else { return nil }
        guard let stream = bufferevent_openssl_socket_new(loop.base.handle, descriptor, session, BUFFEREVENT_SSL_ACCEPTING, 0)
        else {
            SSL_free(session)
            return nil
        }
        (self.stream, self.session, self.loop) = (stream, session, loop)
        bufferevent_setwatermark(stream, Int16(EV_WRITE), Self.fewWaiting, 0)
        let me = Unmanaged.passUnretained(self).toOpaque()
        bufferevent_setcb(
            stream, { _, me in SecureStream.owner(me)?.handleReadable() },
            { _, me in SecureStream.owner(me)?.handleWritable() },
            { _, what, me in SecureStream.owner(me)?.handleEvent(Int32(what)) }, me)
    }

    private static func owner(_ me: UnsafeMutableRawPointer?) -> SecureStream? {
        me.map { Unmanaged<SecureStream>.fromOpaque($0).takeUnretainedValue() }
    }

    deinit {
        bufferevent_setcb(stream, nil, nil, nil, nil)
        bufferevent_free(stream)
        SSL_free(session)
    }

    /// Whether the handshake is not over.
    package var isBeginning: Bool { state == .beginning }

    /// Bytes of memory that it holds.
    package var footprint: Int { (isBeginning ? Self.handshakeBytes : Self.ownBytes) + unread + unsent }

    // MARK: Reading

    private var unread: Int { evbuffer_get_length(bufferevent_get_input(stream)) + Int(SSL_pending(session)) }

    package func startReading() {
        isReading = true
        listen()
        if unread > 0 || state == .ended { remindLater() }
    }

    private func listen() {
        isAhead = unread >= Self.maxWaiting
        switch state {
        case .beginning, .open: if isReading, !isAhead { bufferevent_enable(stream, Int16(EV_READ)) }
        case .ended, .failed: break
        }
    }

    package func stopReading() {
        guard isReading else { return }
        isReading = false
        bufferevent_disable(stream, Int16(EV_READ))
    }

    /// As `read` of a descriptor that does not block.
    package func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        let count = bufferevent_read(stream, room.baseAddress, room.count)
        hasTakenSome = count > 0
        if isAhead { listen() }
        guard count == 0 else { return count }
        if SSL_pending(session) > 0 { return readAll(into: room) }
        switch state {
        case .ended: return 0
        case .beginning, .open: errno = EAGAIN
        case .failed: errno = ECONNRESET
        }
        return -1
    }

    /// The same, including arrived data that libevent has not read yet.
    package func readAll(into room: UnsafeMutableRawBufferPointer) -> Int {
        var count = bufferevent_read(stream, room.baseAddress, room.count)
        while state == .open, count < room.count {
            let more = SSL_read(session, room.baseAddress.map { $0 + count }, Int32(room.count - count))
            ERR_clear_error()
            guard more > 0 else { break }
            count += Int(more)
        }
        hasTakenSome = count > 0
        if hasTakenSome || state == .ended { return count }
        errno = EAGAIN
        return -1
    }

    private func handleReadable() {
        guard isReading, !isSending else { return remindLater() }
        hasTakenSome = false
        loop.receive { delegate?.streamIsReadable() }
        if !isAhead, unread >= Self.maxWaiting {
            isAhead = true
            bufferevent_disable(stream, Int16(EV_READ))
        }
        // The end may have come together with the last bytes.
        if isReading, hasTakenSome, unread > 0 || state == .ended { remindLater() }
    }

    /// Triggers another read callback once this one is over.
    private func remindLater() {
        guard isReading else { return }
        let options = BEV_TRIG_IGNORE_WATERMARKS.rawValue | BEV_TRIG_DEFER_CALLBACKS.rawValue
        bufferevent_trigger(stream, Int16(EV_READ), Int32(options))
    }

    // MARK: Writing

    private var unsent: Int { evbuffer_get_length(bufferevent_get_output(stream)) }

    /// Whether the system has all that was sent.
    package var isDrained: Bool { unsent == 0 }

    /// As `send` on a descriptor that does not block.
    package func send(_ bytes: UnsafeRawBufferPointer, atMost most: Int) -> Int {
        let count = min(most, Self.maxWaiting - unsent)
        guard count > 0 || state == .failed else {
            errno = EAGAIN
            return -1
        }
        if state != .failed {
            isSending = true
            evbuffer_add(bufferevent_get_output(stream), bytes.baseAddress, count)
            isSending = false
        }
        guard state != .failed else {
            errno = EPIPE
            return -1
        }
        return count
    }

    /// Notifies the delegate once there is room, and once everything is sent.
    package func awaitRoom() { wantsRoom = true }

    package func awaitNoRoom() { wantsRoom = false }

    private func handleWritable() {
        guard wantsRoom, !isSending else { return }
        loop.receive {
            loop.charge(bytes: Self.maxWaiting - Self.fewWaiting)
            delegate?.streamIsWritable()
        }
    }

    // MARK: Events

    private func handleEvent(_ what: Int32) {
        if what & BEV_EVENT_CONNECTED != 0 {
            state = .open
            if !isReading { bufferevent_disable(stream, Int16(EV_READ)) }
            return loop.receive { delegate?.streamDidOpen() }
        }
        guard what & BEV_EVENT_EOF != 0, state == .open else { return fail() }
        state = .ended
        // libevent has stopped writing, too.
        bufferevent_disable(stream, Int16(EV_READ))
        bufferevent_enable(stream, Int16(EV_WRITE))
        if isReading { handleReadable() }
    }

    private func fail() {
        state = .failed
        // A sending caller sees the failure in its result.
        if !isSending { loop.receive { delegate?.streamDidFail() } }
    }

    /// Sends the TLS closure alert and stops all callbacks.
    package func close() {
        bufferevent_setcb(stream, nil, nil, nil, nil)
        bufferevent_disable(stream, Int16(EV_READ | EV_WRITE))
        if state == .open || state == .ended { ServerCertificate.sendCloseNotify(stream) }
        (isReading, wantsRoom, state) = (false, false, .failed)
    }
}

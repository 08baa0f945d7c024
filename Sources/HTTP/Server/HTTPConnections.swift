// Open connections, so that they can be bounded: libevent tells of one only with its first request.

import CEvent
import EventLoop
import Glibc
import Posix
import Timers

protocol HTTPConnectionsDelegate: AnyObject {
    /// Called with libevent's connection once it has said something.
    func connectionDidBegin(_ connection: OpaquePointer)
}

/// Knows every connection from the moment that it is accepted, by a reference of its own to the connection's stream. The
/// reference is given back as soon as libevent lets go of it: the stream would read what comes to the next connection
/// with its descriptor.
final class HTTPConnections {
    /// Is given the addresses of connections that wait for a request, the oldest first, and a number; returns the indices of so many of
    /// them, which make room.
    typealias Displaced = (_ addresses: [String], _ count: Int) -> [Int]

    private struct Accepted {
        /// Since when a request is awaited; nil while one is being answered.
        var waitsSince: Instant?
        let input: InputGuard
        /// Of the client, once it was asked for.
        var address: String?
    }

    private var accepted: [OpaquePointer: Accepted] = [:]
    private let clock = SystemClock()
    private let limits: HTTPLimits
    weak var delegate: (any HTTPConnectionsDelegate)?

    /// Nil for connections in clear.
    private let certificate: ServerCertificate?

    private let displaced: Displaced
    /// Connections that have been hung up on for accepts to come.
    private var spare = 0

    init(_ limits: HTTPLimits, _ certificate: ServerCertificate?, displaced: @escaping Displaced) {
        (self.limits, self.certificate, self.displaced) = (limits, certificate, displaced)
    }

    deinit {
        for stream in accepted.keys { remove(stream) }
    }

    /// What the sizes of a body's chunks may take besides.
    private static let chunkBytes = 64 << 10

    private static let many = 128
    private var nextSweep = many

    var count: Int { accepted.count }
    var isFull: Bool { accepted.count >= limits.connections }

    /// The stream of a connection that has been accepted.
    func add(on base: OpaquePointer) -> OpaquePointer? {
        let made = if let certificate { certificate.stream(on: base) } else { bufferevent_socket_new(base, -1, 0) }
        guard let stream = made else { return nil }
        bufferevent_incref(stream)
        let most = limits.headerBytes + limits.bodyBytes + Self.chunkBytes
        let input = InputGuard(of: stream, most: most) { [unowned self] in
            if let connection = Self.owner(of: stream) { delegate?.connectionDidBegin(connection) }
        }
        accepted[stream] = Accepted(waitsSince: clock.now, input: input)
        return stream
    }

    func remove(_ stream: OpaquePointer) {
        guard let connection = accepted.removeValue(forKey: stream) else { return }
        connection.input.stop()
        if certificate != nil { ServerCertificate.sayFarewell(stream) }
        bufferevent_decref(stream)
    }

    /// What is wrong with where its requests end; nil if nothing is.
    func fault(of stream: OpaquePointer) -> String? { accepted[stream]?.input.fault }

    func markAnswering(_ stream: OpaquePointer) { accepted[stream]?.waitsSince = nil }

    /// It is sent a stream, and has nothing more to say.
    func markStreaming(_ stream: OpaquePointer) { accepted[stream]?.input.most = Self.chunkBytes }

    func markWaiting(_ stream: OpaquePointer) { accepted[stream]?.waitsSince = clock.now }

    /// Between two looks not so many come and go that their memory would be felt.
    func sweepIfMany() {
        guard accepted.count >= nextSweep else { return }
        sweep()
        nextSweep = accepted.count + Self.many
    }

    /// Lets go of those that have said nothing and that libevent has let go of: their callbacks are gone.
    func sweep() {
        for stream in accepted.keys where Self.owner(of: stream) == nil { remove(stream) }
    }

    /// Hangs up on those whose request is overdue.
    func hangUpOverdue() {
        let now = clock.now
        for (stream, connection) in accepted {
            guard let since = connection.waitsSince else { continue }
            guard connection.input.fault != nil || since.duration(to: now) >= .seconds(limits.requestSeconds) else { continue }
            hangUp(stream)
        }
    }

    /// Hangs up on some that have said nothing: of addresses that have more than their share, if there are any, the oldest. False if all
    /// are being answered. Choosing takes long, so that several are chosen for the accepts to come.
    func makeRoom() -> Bool {
        if spare > 0 {
            spare -= 1
            return true
        }
        let waiting = accepted.compactMap { stream, connection in connection.waitsSince.map { (stream, $0) } }
            .sorted { $0.1 < $1.1 }.map(\.0)
        let chosen = displaced(waiting.map(address), max(1, limits.connections / Self.partDisplaced))
        for index in chosen where waiting.indices.contains(index) { hangUp(waiting[index]) }
        spare = max(0, chosen.count - 1)
        return !chosen.isEmpty
    }

    private static let partDisplaced = 64

    /// libevent gives a stream its descriptor only after it was made.
    private func address(of stream: OpaquePointer) -> String {
        if let known = accepted[stream]?.address { return known }
        let descriptor = bufferevent_getfd(stream)
        let found = descriptor >= 0 ? TcpAddress.machine(at: descriptor) : nil
        accepted[stream]?.address = found
        return found ?? ""
    }

    /// libevent then finds its end, and closes it.
    private func hangUp(_ stream: OpaquePointer) {
        accepted[stream]?.waitsSince = nil
        guard Self.owner(of: stream) != nil else { return }
        let descriptor = bufferevent_getfd(stream)
        if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// libevent's connection, for which it has the stream call.
    private static func owner(of stream: OpaquePointer) -> OpaquePointer? {
        var owner: UnsafeMutableRawPointer?
        bufferevent_getcb(stream, nil, nil, nil, &owner)
        return owner.map { OpaquePointer($0) }
    }
}

// MARK: - What a client of the page may use

/// Bounds of what clients may send and hold.
package struct HTTPLimits: Equatable, Sendable {
    package var headerBytes = 16 << 10
    package var bodyBytes = 2 << 20
    package var connections = 2_048
    /// A request has come whole after so many seconds from the beginning of the connection, or from the last answer.
    package var requestSeconds = 30
    /// A client that takes nothing for so long is cut off.
    package var silenceSeconds = 30

    package init() {}
}

// MARK: - Looks at what a client sends before libevent does

final class InputGuard {
    private let stream: OpaquePointer
    /// The most bytes that may wait to be looked at.
    var most: Int
    private var hasHungUp = false
    private var framing = FramingCheck()
    private var hasBegun = false
    /// Called once, before libevent looks at the first bytes.
    private let whenBegun: () -> Void

    init(of stream: OpaquePointer, most: Int, whenBegun: @escaping () -> Void) {
        (self.stream, self.most, self.whenBegun) = (stream, most, whenBegun)
        evbuffer_add_cb(bufferevent_get_input(stream), Self.hasCome, me)
    }

    /// The stream may live on without it.
    func stop() { evbuffer_remove_cb(bufferevent_get_input(stream), Self.hasCome, me) }

    private var me: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static let hasCome: evbuffer_cb_func = { _, change, me in
        guard let change, let me else { return }
        Unmanaged<InputGuard>.fromOpaque(me).takeUnretainedValue().checkSize(change.pointee.orig_size, change.pointee.n_added)
    }

    /// What is wrong with what has come; nil if nothing is.
    var fault: String? { framing.fault }

    private func checkSize(_ before: Int, _ added: Int) {
        let size = before + added
        if !hasBegun {
            hasBegun = true
            whenBegun()
        }
        if added > 0, framing.fault == nil { checkFraming(before, added) }
        guard size > most, !hasHungUp else { return }
        hasHungUp = true
        shutdown(bufferevent_getfd(stream), Int32(SHUT_RDWR))
    }

    private func checkFraming(_ before: Int, _ added: Int) {
        let buffer = bufferevent_get_input(stream)
        var place = evbuffer_ptr()
        guard evbuffer_ptr_set(buffer, &place, before, EVBUFFER_PTR_SET) == 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: added, alignment: 1) { bytes in
            let count = evbuffer_copyout_from(buffer, &place, bytes.baseAddress, added)
            framing.read(UnsafeRawBufferPointer(rebasing: bytes[..<max(0, count)]))
        }
    }
}

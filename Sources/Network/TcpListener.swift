// The TCP socket, where asked for.

import EventLoop
import Glibc
import Logging
import Posix

package final class TcpListener: Listener {
    /// With `isEncrypted`, the shown address begins with `tls://`. The connection handler has to speak TLS then.
    package init(
        _ socket: consuming ListeningSocket, isEncrypted: Bool, log: Log, connected: @escaping ConnectionHandler
    ) {
        let (address, isActivated) = (isEncrypted ? "tls://\(socket.address)" : socket.address, socket.isActivated)
        super.init(socket.takeDescriptor(), at: address, isActivated: isActivated, .tcp, log: log, connected: connected)
    }

    /// A listening socket and its address.
    package static func listening(at address: TcpAddress) throws(ListenerError) -> ListeningSocket {
        let descriptor = try bound(to: address)
        guard listen(descriptor.number, SOMAXCONN) == 0 else { throw failure(address) }
        let name = TcpAddress.text(of: descriptor.number, peer: false) ?? address.description
        return ListeningSocket(descriptor: descriptor, asked: address, address: name, isActivated: false)
    }

    /// The same for a socket that the service manager has opened.
    package static func listening(activated descriptor: consuming Descriptor, at address: TcpAddress) -> ListeningSocket {
        prepare(descriptor.number, address)
        return ListeningSocket(descriptor: descriptor, asked: address, address: address.description, isActivated: true)
    }

    /// Whether it could listen there; binds, but does not listen.
    package static func check(_ address: TcpAddress) throws(ListenerError) {
        _ = try bound(to: address)
    }

    private static func bound(to address: TcpAddress) throws(ListenerError) -> Descriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard let descriptor = Descriptor(socket(address.family, kind, 0)) else { throw failure(address) }
        prepare(descriptor.number, address)
        guard address.withPointer({ bind(descriptor.number, $0, $1) }) == 0 else { throw failure(address) }
        return descriptor
    }

    /// Linux copies these options to every accepted connection.
    private static func prepare(_ descriptor: Int32, _ address: TcpAddress) {
        var options: [(level: Int32, name: Int32, value: Int32)] = [
            (SOL_SOCKET, SO_REUSEADDR, 1), (Int32(IPPROTO_TCP), TCP_NODELAY, 1),
            // A peer that vanishes is detected: after a minute of silence, or when sent data is not acknowledged.
            (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60), (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15),
            (Int32(IPPROTO_TCP), TCP_KEEPCNT, 4), (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 120_000),
        ]
        if address.isVersion6 { options.append((Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)) }
        setSocketOptions(options, of: descriptor)
    }

    private static func failure(_ address: TcpAddress) -> ListenerError {
        let number = errno
        return ListenerError(
            description: "cannot listen at \(address): \(systemErrorText(number))\(advice(number))",
            isInUse: number == EADDRINUSE)
    }

    private static func advice(_ number: Int32) -> String {
        switch number {
        case EADDRINUSE: "; end the program that listens there, or choose another port (0 is any free one)"
        case EACCES: "; ports below 1024 are for root: choose a higher one"
        case EADDRNOTAVAIL: "; this machine has no such address: choose one of 'ip address', or 0.0.0.0 for all"
        default: ""
        }
    }

    /// Whether a connection has come in at an address that only this machine can reach.
    static func isLoopback(_ descriptor: Int32) -> Bool {
        TcpAddress.text(of: descriptor, peer: false).flatMap { HostAndPort($0) }.map { TcpAddress.isLoopback($0.host) } ?? false
    }
}

/// A listening socket. A `TcpListener` accepts connections at it, or the page's HTTP server.
package struct ListeningSocket: ~Copyable {
    package let descriptor: Descriptor
    /// The address that was asked for.
    package let asked: TcpAddress
    /// The address as it is, with the port that the system has chosen.
    package let address: String
    /// Whether the service manager has opened it.
    let isActivated: Bool

    package consuming func takeDescriptor() -> Descriptor { descriptor }
}

// MARK: - Shared parts of the UNIX and the TCP listener

/// Why the daemon cannot listen at an address.
package struct ListenerError: Error, CustomStringConvertible {
    package let description: String
    /// Whether another socket listens there.
    package var isInUse = false
}

/// How a client connected, which decides how it is authenticated.
package enum Transport: String, Sendable {
    /// By the peer's user id.
    case unix
    /// By a token.
    case tcp
}

/// Takes an accepted connection.
package typealias ConnectionHandler = (consuming Descriptor, Transport) -> Void

// MARK: - Accepting connections, for the UNIX and the TCP listener alike.

/// Listens at an address and hands over each connection. Pauses when the process has few descriptors left.
package class Listener {
    /// Connections accepted per turn, if its time suffices, so that others are served too.
    private static let maxPerTurn = 256
    /// How long a pause lasts if no connection closes meanwhile, in milliseconds.
    private static let retry = 1_000

    private var loop: Loop?
    private var watch: DescriptorWatch?
    private var pause: Delay?
    /// The listening address, as shown to people.
    package let address: String
    let descriptor: Descriptor
    /// Whether the service manager has opened it, and goes on listening when this one stops.
    let isActivated: Bool
    private let transport: Transport
    let log: Log
    private let connected: ConnectionHandler

    init(
        _ descriptor: consuming Descriptor, at address: String, isActivated: Bool, _ transport: Transport, log: Log,
        connected: @escaping ConnectionHandler
    ) {
        (self.address, self.isActivated, self.transport) = (address, isActivated, transport)
        (self.log, self.connected) = (log, connected)
        self.descriptor = descriptor
    }

    package func start(on loop: Loop) throws {
        let watch = try DescriptorWatch(descriptor.number, .readable, on: loop) { [unowned self] in acceptSome() }
        pause = try Delay(on: loop) { [unowned self] in resume() }
        try watch.start()
        (self.watch, self.loop) = (watch, loop)
    }

    package func stop() {
        (watch, loop) = (nil, nil)
        pause = nil
        // Pending connections are refused at once.
        if !isActivated { shutdown(descriptor.number, Int32(SHUT_RDWR)) }
    }

    /// Resumes accepting after a pause.
    package func resume() {
        guard let watch, !watch.isRunning else { return }
        pause?.stop()
        do { try watch.start() } catch { pause?.start(milliseconds: Self.retry) }
    }

    private func acceptSome() {
        for _ in 0..<Self.maxPerTurn {
            guard OpenDescriptors.areFreeForClients else { return waitForRoom(after: EMFILE) }
            guard let peer = Descriptor(accept(descriptor.number, nil, nil)) else {
                guard mayGoOn(after: errno) else { return }
                continue
            }
            peer.makeNonblocking()
            connected(peer, transport)
            loop?.charge(pieces: 1)
            if loop?.isBudgetExhausted == true { return }
        }
    }

    /// Whether the error concerns one connection only.
    private func mayGoOn(after error: Int32) -> Bool {
        switch error {
        case EAGAIN: return false
        case EMFILE, ENFILE, ENOMEM, ENOBUFS:
            waitForRoom(after: error)
            return false
        default: return true
        }
    }

    /// A pending connection would wake the loop over and over.
    private func waitForRoom(after error: Int32) {
        watch?.stop()
        pause?.start(milliseconds: Self.retry)
        log.write(
            .warning, provokedBy: .descriptors,
            "cannot accept connections for now: \(systemErrorText(error)); the limit of open files (ulimit -n) may be too low"
        )
    }
}

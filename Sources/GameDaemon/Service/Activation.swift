// Sockets that the service manager has opened, in place of our own.

import Network
import Posix
import Systemd

/// Hands each socket to its listener.
final class Activation {
    private var unix: [ActivatedSocket] = []
    private var tcp: [(address: TcpAddress, socket: ActivatedSocket)] = []
    private var page: (address: TcpAddress, socket: ActivatedSocket)?

    /// A TCP socket without a name is the page's where the settings put the page at its port, and else one for commands.
    init(_ sockets: [ActivatedSocket], _ options: Options) throws(ActivationError) {
        for socket in sockets {
            switch socket.role {
            case .unix: unix.append(socket)
            case .tcp:
                let address = try Self.address(of: socket)
                if !socket.isNamed, Self.isPage(address, options) {
                    guard page == nil else { throw .twice(.http) }
                    page = (address, socket)
                } else {
                    tcp.append((address, socket))
                }
            case .http:
                guard page == nil else { throw .twice(.http) }
                page = (try Self.address(of: socket), socket)
            }
        }
    }

    private static func isPage(_ address: TcpAddress, _ options: Options) -> Bool {
        guard !options.addresses.contains(where: { $0.description == address.description }) else { return false }
        return options.web.place.port == address.port
    }

    private static func address(of socket: ActivatedSocket) throws(ActivationError) -> TcpAddress {
        guard let text = TcpAddress.text(of: socket.number, peer: false), let address = try? TcpAddress(text) else {
            throw .noAddress(socket.role)
        }
        return address
    }

    /// The listening addresses. All requirements for addresses in the settings apply to these, too.
    var addresses: Options.Activated {
        Options.Activated(
            socketPath: unix.first.flatMap { UnixAddress.path(of: $0.number) }, addresses: tcp.map(\.address),
            page: page?.address)
    }

    /// The UNIX sockets; empty if we open our own.
    func unixListeners(_ make: (consuming Descriptor, String) -> UnixListener) -> [UnixListener] {
        unix.compactMap { socket in
            let path = UnixAddress.path(of: socket.number) ?? ""
            guard let descriptor = socket.takeDescriptor() else { return nil }
            return make(descriptor, path)
        }
    }

    /// Nil if we open our own at this address.
    func tcpSocket(at address: TcpAddress) -> ListeningSocket? {
        // The settings define the protocol, TLS or plain text.
        let own = tcp.first { $0.address.description == address.description && $0.socket.number >= 0 }
        guard let descriptor = own?.socket.takeDescriptor() else { return nil }
        return TcpListener.listening(activated: descriptor, at: address)
    }

    /// Nil if we open our own.
    func pageSocket() -> ListeningSocket? {
        guard let (address, socket) = page, let descriptor = socket.takeDescriptor() else { return nil }
        return TcpListener.listening(activated: descriptor, at: address)
    }
}

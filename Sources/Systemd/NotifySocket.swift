// Tells systemd the service's status: one datagram of text. sd_notify does only that, and libsystemd would bring 1.5 MB with three libraries
// for compression and encryption.

import Glibc
import Posix
import Texts

package final class NotifySocket: Sendable {
    private let address: UnixAddress
    private let descriptor: Descriptor

    /// `place` is a path, or `@` and a name. Nil for another kind of place.
    package init?(_ place: String) {
        guard let address = Self.address(place),
            let descriptor = Descriptor(socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        else { return nil }
        self.address = address
        self.descriptor = descriptor
    }

    private static func address(_ place: String) -> UnixAddress? {
        if place.hasPrefix("@") { return try? UnixAddress(abstract: String(place.dropFirst())) }
        return place.hasPrefix("/") ? try? UnixAddress(path: place) : nil
    }

    /// Never waits. False if it can be tried again later, since systemd is behind with reading.
    @discardableResult
    package func send(_ message: String) -> Bool {
        let error = address.send(Array(message.utf8), from: descriptor)
        return error != EAGAIN && error != ENOBUFS
    }
}

// MARK: - A socket that systemd has opened for the service, and which listens already.

package final class ActivatedSocket {
    /// Its purpose: FileDescriptorName= of the socket's unit.
    package enum Role: Sendable, CaseIterable {
        case unix, tcp, http

        /// Names that stand for it, the usual one first.
        package var names: [String] {
            switch self {
            case .unix: ["gamed", "unix"]
            case .tcp: ["tcp"]
            case .http: ["http"]
            }
        }
    }

    package let role: Role
    /// Whether its unit names it; one that has no name got its role by its family.
    package let isNamed: Bool
    private var descriptor: Descriptor?
    /// For a look at it; below zero once it is taken.
    package var number: Int32 { descriptor?.number ?? -1 }

    /// Makes it ours, and unlike systemd's nonblocking. Throws if it cannot serve its role.
    init(_ descriptor: consuming Descriptor, named name: String) throws(ActivationError) {
        let family = Self.option(SO_DOMAIN, of: descriptor.number)
        // systemd calls one without a name "unknown".
        let isNamed = !name.isEmpty && name != "unknown"
        let known = isNamed ? Role.allCases.first { $0.names.contains(name) } : family == AF_UNIX ? .unix : .tcp
        guard let role = known else { throw .unknownName(name) }
        guard Self.option(SO_TYPE, of: descriptor.number) == Int32(SOCK_STREAM.rawValue),
            Self.option(SO_ACCEPTCONN, of: descriptor.number) == 1
        else { throw .doesNotListen(name) }
        guard role == .unix ? family == AF_UNIX : family == AF_INET || family == AF_INET6 else {
            throw .wrongFamily(name, role)
        }
        guard role != .unix || UnixAddress.path(of: descriptor.number) != nil else { throw .hasNoPath(name) }
        descriptor.makeNonblocking()
        (self.role, self.isNamed) = (role, isNamed)
        self.descriptor = consume descriptor
    }

    /// Nil once it is taken.
    package func takeDescriptor() -> Descriptor? { descriptor.take() }

    private static func option(_ option: Int32, of descriptor: Int32) -> Int32? {
        var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
    }
}

/// An error in the sockets that the service was given, in one sentence.
package enum ActivationError: Error, Equatable, CustomStringConvertible {
    case unreadable(String)
    case notOpen(Int32)
    case unknownName(String)
    case doesNotListen(String)
    case wrongFamily(String, ActivatedSocket.Role)
    case hasNoPath(String)
    case twice(ActivatedSocket.Role)
    case noAddress(ActivatedSocket.Role)
    /// It takes what there is not to let others have it.
    case open(String)

    package var description: String { "socket activation: \(reason)" }

    private var reason: String {
        switch self {
        case .unreadable(let count): "LISTEN_FDS must be a number of sockets, not '\(count.shortened)'"
        case .notOpen(let number): "descriptor \(number), which LISTEN_FDS counts, is not open"
        case .unknownName(let name):
            "'\(name.shortened)' is not a socket of gamed; FileDescriptorName= is gamed for the UNIX socket, tcp, or http for the page"
        case .doesNotListen(let name):
            "'\(name.shortened)' is not a listening stream socket; its unit needs ListenStream= and Accept=no"
        case .wrongFamily(let name, .unix): "'\(name.shortened)' is not a UNIX socket; its unit's ListenStream= is a path"
        case .wrongFamily(let name, .tcp), .wrongFamily(let name, .http):
            "'\(name.shortened)' is not a TCP socket; its unit's ListenStream= is a port, or an address and a port"
        case .hasNoPath(let name):
            "'\(name.shortened)' has no path, so clients cannot find it; its unit's ListenStream= must be one"
        case .twice(let role):
            "two sockets are named \(role.names[0]); only one is allowed, and an empty ListenStream= removes those above it"
        case .noAddress(let role): "the address of the socket '\(role.names[0])' cannot be read"
        case .open(let sentence): sentence
        }
    }
}

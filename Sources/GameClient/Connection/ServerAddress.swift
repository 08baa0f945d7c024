// The address of a daemon, and connecting to it.

import Glibc
import Installation
import Posix
import Texts

package enum ServerAddress: Equatable, Sendable, CustomStringConvertible {
    /// A UNIX socket's path.
    case socket(String)
    case tcp(host: String, port: String)

    /// `HOST:PORT`; an IPv6 address stands in brackets.
    package init(hostAndPort text: String) throws(ControlError) {
        guard let colon = text.lastIndex(of: ":") else { throw Self.wrong(text) }
        var host = text[..<colon]
        let port = text[text.index(after: colon)...]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw Self.wrong(text)
        }
        guard !host.isEmpty, let number = UInt16(port), number > 0 else { throw Self.wrong(text) }
        self = .tcp(host: String(host), port: String(port))
    }

    private static func wrong(_ text: String) -> ControlError {
        .usage("--connect is HOST:PORT, like localhost:7777 or [::1]:7777, and not '\(text.shortened)'")
    }

    /// Whether the daemon shares this machine's file system.
    package var isLocal: Bool {
        switch self {
        case .socket: true
        case .tcp: false
        }
    }

    package var description: String {
        switch self {
        case .socket(let path): path
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// How a daemon is started that listens there. A program with flows of its own may have no flow `game`.
    private func startHint(_ program: String) -> String {
        let start = program == "gamed" ? "gamed --session main=game" : program
        return switch self {
        case .socket(DefaultPlaces.socket): "start one with: \(start)"
        case .socket(let path): "start one with: \(start) --socket \(path)"
        case .tcp: "start one there, or name another with --connect HOST:PORT"
        }
    }

    /// Returns a connected descriptor. `program` is what a daemon is started with.
    func connect(toStart program: String) throws(ControlError) -> Int32 {
        switch self {
        case .socket(let path): try connect(path: path, program)
        case .tcp(let host, let port): try connect(host: host, port: port, program)
        }
    }

    private func connect(path: String, _ program: String) throws(ControlError) -> Int32 {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else {
            throw .usage("the socket's path has \(bytes.count) bytes, and the system takes at most 107: \(path)")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw unreachable(closing: descriptor, program) }
        return descriptor
    }

    private func connect(host: String, port: String, _ program: String) throws(ControlError) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let problem = getaddrinfo(host, port, &hints, &list)
        guard problem == 0 else {
            throw .noDaemon("there is no host '\(host)': \(String(cString: gai_strerror(problem)))")
        }
        defer { freeaddrinfo(list) }
        var entry = list
        while let address = entry?.pointee {
            let descriptor = Glibc.socket(
                address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
            if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
            entry = address.ai_next
            if entry == nil { throw unreachable(closing: descriptor, program) }
            close(descriptor)
        }
        throw unreachable(closing: -1, program)
    }

    /// The reason is in `errno`.
    private func unreachable(closing descriptor: Int32, _ program: String) -> ControlError {
        let number = errno
        if descriptor >= 0 { close(descriptor) }
        if number == EACCES || number == EPERM {
            return .noDaemon("you may not open \(self): it belongs to the user who runs the daemon")
        }
        return .noDaemon("no gamed listens at \(self) (\(systemErrorText(number))); \(startHint(program))")
    }
}

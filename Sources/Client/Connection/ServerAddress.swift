// The address of a daemon, and connecting to it.

import Glibc
import Posix
import Texts

package enum ServerAddress: Equatable, Sendable, CustomStringConvertible {
    /// A UNIX socket's path.
    case socket(String)
    case tcp(HostAndPort)

    /// `HOST:PORT`; an IPv6 address stands in brackets.
    package init(hostAndPort text: String) throws(ControlError) {
        let (option, examples) = ("--connect", "localhost:7777 or [::1]:7777")
        do throws(UsageError) {
            let address = try HostAndPort(text, option: option, examples: examples)
            guard address.port > 0 else { throw HostAndPort.error(text, option: option, examples: examples) }
            self = .tcp(address)
        } catch {
            throw .usage(error.description)
        }
    }

    /// A node's, as a cluster says it: an IPv6 address has no brackets there. Nil if it is no address.
    package init?(ofNode text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let host = text[..<colon]
        guard let address = try? ServerAddress(hostAndPort: host.contains(":") ? "[\(host)]\(text[colon...])" : text) else {
            return nil
        }
        self = address
    }

    /// Whether the daemon shares this machine's file system.
    package var isLocal: Bool {
        if case .socket = self { true } else { false }
    }

    package var description: String {
        switch self {
        case .socket(let path): path
        case .tcp(let address): address.description
        }
    }

    /// The command that starts a daemon listening there. A program with its own flows may have no flow `game`.
    private func startHint(_ program: String?) -> String {
        guard let program else { return "" }
        let start = program == "gamed" ? "gamed --session main=game" : program
        return switch self {
        case .socket(DefaultPaths.socket): "; start one with: \(start)"
        case .socket(let path): "; start one with: \(start) --socket \(path.shellWord)"
        case .tcp: "; start one there, or name another with --connect HOST:PORT"
        }
    }

    /// Returns a connected descriptor. `program` is what a daemon is started with, if errors shall say so, `timeout` how long anything on it may take.
    package func connect(toStart program: String?, timeout: Duration? = nil) throws(ControlError) -> Int32 {
        switch self {
        case .socket(let path): try connect(path: path, program, timeout)
        case .tcp(let address): try connect(to: address, program, timeout)
        }
    }

    /// Bounds how long a call on the descriptor waits; nil for as long as it takes.
    static func bound(_ descriptor: Int32, _ timeout: Duration?) {
        let (seconds, attoseconds) = (timeout ?? .zero).components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// A daemon whose machine or network is gone sends no end: half a minute of silence on its side is one.
    private static func detectLoss(of descriptor: Int32) {
        let options: [(level: Int32, name: Int32, value: Int32)] = [
            (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 15), (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5),
            (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3), (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 30_000),
        ]
        setSocketOptions(options, of: descriptor)
    }

    private func connect(path: String, _ program: String?, _ timeout: Duration?) throws(ControlError) -> Int32 {
        let address: UnixAddress
        do throws(UsageError) { address = try UnixAddress(path: path) } catch { throw .usage(error.description) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw unreachable(closing: descriptor, program) }
        Self.bound(descriptor, timeout)
        let status = address.withPointer { Glibc.connect(descriptor, $0, $1) }
        guard status == 0 else { throw unreachable(closing: descriptor, program) }
        return descriptor
    }

    private func connect(to server: HostAndPort, _ program: String?, _ timeout: Duration?) throws(ControlError) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let problem = getaddrinfo(server.host, String(server.port), &hints, &list)
        guard problem == 0 else {
            throw .noDaemon("cannot resolve '\(server.host)': \(String(cString: gai_strerror(problem)))")
        }
        defer { freeaddrinfo(list) }
        var entry = list
        while let address = entry?.pointee {
            let descriptor = Glibc.socket(
                address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
            if descriptor >= 0 {
                Self.bound(descriptor, timeout)
                Self.detectLoss(of: descriptor)
                if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
            }
            entry = address.ai_next
            if entry == nil { throw unreachable(closing: descriptor, program) }
            if descriptor >= 0 { close(descriptor) }
        }
        throw unreachable(closing: -1, program)
    }

    /// The users that may open the socket.
    private var wayIn: String {
        guard case .socket(let path) = self, let info = FileStatus(at: path) else {
            return "it belongs to the daemon's user"
        }
        let (owner, group) = (userName(of: info.st_uid) ?? "\(info.st_uid)", groupName(of: info.st_gid) ?? "\(info.st_gid)")
        guard group != owner, info.st_gid != 0 else {
            return "it is for the user '\(owner)'; the daemon's option --allow-group GROUP admits others"
        }
        return
            "it is for the user '\(owner)' and the group '\(group)'; 'adduser YOU \(group)' adds you to it, from the next login on"
    }

    /// The reason is in `errno`.
    private func unreachable(closing descriptor: Int32, _ program: String?) -> ControlError {
        let number = errno
        if descriptor >= 0 { close(descriptor) }
        if number == EACCES || number == EPERM {
            return .noDaemon("you may not open \(self): \(wayIn)")
        }
        if number == EMFILE || number == ENFILE { return .noDaemon("cannot connect to \(self): \(systemErrorText(number))") }
        // The wait has timed out: the daemon accepts no connections.
        if number == EAGAIN || number == EINPROGRESS {
            return .noDaemon("\(self) accepts no connection: it hangs, or has too many")
        }
        return .noDaemon("no daemon listens at \(self) (\(systemErrorText(number)))\(startHint(program))")
    }
}

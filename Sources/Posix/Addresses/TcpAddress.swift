// `HOST:PORT`, as text and as a socket address.

import Glibc
import Texts

/// An address to listen at: IPv4, IPv6 in brackets, or `localhost`. Names of other machines are not looked up.
package struct TcpAddress: Equatable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: UInt16
    package let isVersion6: Bool

    package init(_ text: String) throws(UsageError) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw Self.error(text)
        }
        let host = String(text[..<colon])
        self.port = port
        if host == "localhost" {
            (self.host, isVersion6) = ("127.0.0.1", false)
        } else if host.hasPrefix("["), host.hasSuffix("]") {
            (self.host, isVersion6) = (String(host.dropFirst().dropLast()), true)
        } else {
            (self.host, isVersion6) = (host, false)
        }
        guard withPointer({ _, _ in }) != nil else { throw Self.error(text) }
    }

    private static func error(_ text: String) -> UsageError {
        UsageError(
            "--listen is HOST:PORT, like 127.0.0.1:7654, [::1]:7654 or localhost:7654, and not '\(text.shortened)'"
        )
    }

    package var description: String { Self.written(host, port, isVersion6: isVersion6) }

    package static func written(_ host: String, _ port: UInt16, isVersion6: Bool) -> String {
        isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    package var family: Int32 { isVersion6 ? AF_INET6 : AF_INET }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool {
        withPointer { address, _ in
            if isVersion6 {
                return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                    withUnsafeBytes(of: pointer.pointee.sin6_addr) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
                }
            }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt32(bigEndian: $0.pointee.sin_addr.s_addr) >> 24 == 127
            }
        } ?? false
    }

    /// Nil if the host is not an address.
    package func withPointer<Result>(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        var hints = addrinfo()
        hints.ai_family = family
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        guard !host.isEmpty, getaddrinfo(host, String(port), &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        guard let address = found.pointee.ai_addr else { return nil }
        return call(address, found.pointee.ai_addrlen)
    }
}

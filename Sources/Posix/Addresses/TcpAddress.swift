// A TCP address to listen at, as system calls take it.

import Glibc
import Texts

/// An address to listen at: IPv4, IPv6 in brackets, `localhost`, or `*` for 0.0.0.0. Other names are not resolved.
package struct TcpAddress: Equatable, Sendable, CustomStringConvertible {
    private let address: HostAndPort
    /// Whether the address uses TLS; nil if it has no scheme.
    package let asksForTLS: Bool?

    /// `option` is for the error. `schemes` may precede it: one for plain text, and one for TLS.
    package init(
        _ text: String, option: String = "--listen", examples: String = "127.0.0.1:7654, [::1]:7654 or localhost:7654",
        schemes: (plain: String, tls: String) = ("tcp://", "tls://")
    ) throws(UsageError) {
        let scheme = [schemes.plain, schemes.tls].first { text.hasPrefix($0) }
        asksForTLS = scheme.map { $0 == schemes.tls }
        let written = try HostAndPort(String(text.dropFirst(scheme?.count ?? 0)), option: option, examples: examples)
        let host = ["localhost": "127.0.0.1", "*": "0.0.0.0"][written.host]
        address = host.map { HostAndPort(host: $0, port: written.port) } ?? written
        guard withPointer({ _, _ in }) != nil else { throw HostAndPort.error(text, option: option, examples: examples) }
    }

    private init(_ address: HostAndPort, asksForTLS: Bool?) { (self.address, self.asksForTLS) = (address, asksForTLS) }

    /// This address, with another address's choice of TLS.
    package func speaking(as other: TcpAddress) -> TcpAddress { TcpAddress(address, asksForTLS: other.asksForTLS) }

    package var description: String { address.description }

    /// As it was written, without brackets.
    package var host: String { address.host }
    package var port: UInt16 { address.port }
    /// Whether it is all addresses of this machine.
    package var isEverywhere: Bool { address.isEverywhere }

    package var isVersion6: Bool { address.isBracketed }

    package var family: Int32 { isVersion6 ? AF_INET6 : AF_INET }

    /// Whether only this machine can reach it: 127.0.0.0/8, also mapped to IPv6, or ::1.
    package var isLoopback: Bool {
        let written = withPointer { address, _ in
            isVersion6
                ? address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { Self.bytes($0.pointee.sin6_addr) }
                : address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Self.bytes($0.pointee.sin_addr) }
        }
        guard let bytes = written.map(Self.unmapped) else { return false }
        return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// The same of a host: an address in any form that can be listened at, such as `127.1`. False for a name.
    package static func isLoopback(_ host: String) -> Bool {
        TcpAddress(HostAndPort(host: host, port: 0), asksForTLS: nil).isLoopback
    }

    /// Nil if the host is not an address.
    package func withPointer<Result>(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        var hints = addrinfo()
        hints.ai_family = family
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        return found.pointee.ai_addr.map { call($0, found.pointee.ai_addrlen) }
    }

    /// Whether a host is an address, and no name: without brackets, of IPv4 or IPv6.
    package static func isNumeric(_ host: String) -> Bool {
        bytes(of: host) != nil
    }

    /// The bytes of an address: 4 of IPv4, also where a socket of both kinds has taken it in (`::ffff:10.0.0.7`), 16 of IPv6; nil for a
    /// name.
    package static func bytes(of host: String) -> [UInt8]? {
        var address = in6_addr()
        if inet_pton(AF_INET, host, &address) == 1 { return Array(bytes(address).prefix(4)) }
        return inet_pton(AF_INET6, host, &address) == 1 ? unmapped(bytes(address)) : nil
    }

    private static func bytes(_ address: some Any) -> [UInt8] { withUnsafeBytes(of: address) { Array($0) } }

    private static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: mappedBeginning) ? Array(bytes.suffix(4)) : bytes
    }

    /// The address, or of IPv6 the half of it that a network has: one client may have all addresses of that.
    package static func network(of machine: String) -> [UInt8] {
        bytes(of: machine).map { Array($0.prefix(8)) } ?? Array(machine.utf8.prefix(64))
    }

    private static let mappedBeginning = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]

    /// `HOST:PORT` of the socket's own end, or of its peer.
    package static func text(of descriptor: Int32, peer: Bool) -> String? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard (peer ? getpeername : getsockname)(descriptor, pointer, &size) == 0 else { return nil }
                var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
                guard
                    getnameinfo(
                        pointer, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0
                else { return nil }
                return HostAndPort(host: String(systemText: host), port: UInt16(String(systemText: port)) ?? 0).description
            }
        }
    }

    /// The address at the other end, without a port.
    package static func machine(at descriptor: Int32) -> String? {
        text(of: descriptor, peer: true).flatMap { HostAndPort($0)?.host }
    }
}

// MARK: - `HOST:PORT`, as people write it.

/// A host and a port, for listening and for connecting. An IPv6 address is written in brackets.
package struct HostAndPort: Equatable, Sendable, CustomStringConvertible {
    /// Without brackets.
    package let host: String
    package let port: UInt16
    /// Whether the host was in brackets, and so must be an IPv6 address.
    package let isBracketed: Bool

    /// `option` and `examples` are for the error.
    package init(_ text: String, option: String, examples: String) throws(UsageError) {
        guard let address = HostAndPort(text) else { throw Self.error(text, option: option, examples: examples) }
        self = address
    }

    /// Nil if the text has another form.
    package init?(_ text: String) {
        // Bytes are looked at, since each request over HTTP has such a text or two.
        let (bytes, colon) = (text.utf8, UInt8(ascii: ":"))
        guard let end = bytes.lastIndex(of: colon), let port = UInt16(text[bytes.index(after: end)...]) else { return nil }
        let written = bytes[..<end]
        isBracketed = written.first == UInt8(ascii: "[") && written.last == UInt8(ascii: "]") && written.count > 1
        let host = isBracketed ? written.dropFirst().dropLast() : written
        guard !host.isEmpty, isBracketed || !host.contains(colon) else { return nil }
        (self.host, self.port) = (String(Substring(host)), port)
    }

    package init(host: String, port: UInt16) {
        (self.host, self.port, isBracketed) = (host, port, host.contains(":"))
    }

    /// Whether it is all addresses of this machine.
    package var isEverywhere: Bool { ["0.0.0.0", "::"].contains(host) }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package static func error(_ text: String, option: String, examples: String) -> UsageError {
        UsageError(of: option, "is HOST:PORT, like \(examples), not '\(text.shortened)'")
    }
}

// MARK: - The addresses of a name.

/// Why a name has no address, as the system says it.
package struct HostLookupError: Error {
    package let reason: String
}

package enum HostLookup {
    /// In the order in which they are to be tried, without ports. It blocks.
    package static func addresses(of name: String) throws(HostLookupError) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let problem = getaddrinfo(name, nil, &hints, &found)
        guard problem == 0 else { throw HostLookupError(reason: String(cString: gai_strerror(problem))) }
        defer { freeaddrinfo(found) }
        var (addresses, next): ([String], UnsafeMutablePointer<addrinfo>?) = ([], found)
        while let entry = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 {
                addresses.append(String(systemText: text))
            }
            next = entry.ai_next
        }
        return addresses
    }
}

// MARK: - The name of this machine.

package enum MachineName {
    package static var own: String {
        var name = [CChar](repeating: 0, count: 256)
        return gethostname(&name, 255) == 0 ? String(systemText: name) : "localhost"
    }
}

/// Options that the system does not know are left out.
package func setSocketOptions(_ options: [(level: Int32, name: Int32, value: Int32)], of descriptor: Int32) {
    for var option in options {
        setsockopt(descriptor, option.level, option.name, &option.value, socklen_t(MemoryLayout<Int32>.size))
    }
}

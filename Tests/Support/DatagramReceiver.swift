// A datagram socket of a test, in the role of systemd's.

import Glibc

package final class DatagramReceiver {
    private let descriptor: Int32

    /// Binds a path, or an abstract name after `@`. `next` returns nil after `timeout` seconds, so that no test hangs.
    package init(at place: String, timeout: Int = Int(waitLimit)) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = place.hasPrefix("@")
        let name = isAbstract ? [0] + place.utf8.dropFirst() : Array(place.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let size = isAbstract ? MemoryLayout<sa_family_t>.size + name.count : MemoryLayout<sockaddr_un>.size
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(size)) }
        }
        guard status == 0 else { throw SocketError(description: "cannot bind \(place): \(errno)") }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The descriptor, for a caller that polls several.
    package var number: Int32 { descriptor }

    /// The next datagram as text.
    package func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// The datagrams that have already arrived.
    package func rest() -> [String] {
        var all: [String] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count >= 0 else { return all }
            all.append(String(decoding: bytes[..<count], as: UTF8.self))
        }
    }
}

/// Sends a datagram to a path.
package func sendDatagram(to path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    let sent = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            sendto(descriptor, "x", 1, 0, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard sent == 1 else { throw SocketError(description: "cannot send to \(path): \(errno)") }
}

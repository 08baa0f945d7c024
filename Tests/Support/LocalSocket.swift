// Connections to a local daemon, as descriptors that the caller closes.

import Glibc

/// No daemon listens there.
package struct SocketError: Error, CustomStringConvertible {
    package let description: String
}

/// Connects to the socket at this path. Reads and writes fail after `timeout` seconds, so that no test hangs.
package func dial(_ path: String, timeout: Int = Int(waitLimit)) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    return try connected(&address, timeout, "cannot connect to \(path)")
}

/// Connects to a TCP port of this machine, with the same timeout.
package func dial(port: Int, timeout: Int = Int(waitLimit)) throws -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    return try connected(&address, timeout, "cannot connect to port \(port)")
}

private func connected(_ address: inout some Any, _ timeout: Int, _ complaint: String) throws -> Int32 {
    let (descriptor, status) = withUnsafeBytes(of: &address) { bytes in
        let family = bytes.load(as: sa_family_t.self)
        let descriptor = socket(Int32(family), Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        return (
            descriptor, connect(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        )
    }
    guard status == 0 else {
        close(descriptor)
        throw SocketError(description: complaint)
    }
    var limit = timeval(tv_sec: timeout, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    return descriptor
}

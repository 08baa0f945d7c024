// TCP ports of 127.0.0.1 for tests.

import Glibc

/// A port that refuses connections, and that no other test gets until it is released.
package struct ClosedPort {
    package let number: Int
    private let descriptor: Int32

    package init() throws { (descriptor, number) = try boundSocket() }

    package func release() { close(descriptor) }
}

/// A port for a process that is started next. It is below those that the system gives to clients and to port 0.
package func freePort() throws -> Int {
    for _ in 0..<200 {
        guard let (descriptor, port) = try? boundSocket(to: Int.random(in: 15_000..<32_000)) else { continue }
        close(descriptor)
        return port
    }
    throw SocketError(description: "no port is free")
}

/// Binds a TCP socket to a port of 127.0.0.1, which the system chooses if it is 0. The caller closes it.
func boundSocket(to port: Int = 0) throws -> (descriptor: Int32, port: Int) {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(AF_INET, Int32(kind), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
        }
    }
    guard isBound else {
        let code = errno
        close(descriptor)
        throw SocketError(description: "port \(port) is not free: \(String(cString: strerror(code)))")
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}

// A port for a server that is measured.

import Glibc

/// A loopback port without a listener, below those that the system gives to clients: it is still free when its server restarts. The port ten thousand
/// above it is free too, for Redis' cluster bus.
func freePort() throws -> Int {
    for _ in 0..<200 {
        let port = Int.random(in: 15_000..<22_000)
        if isFree(port), isFree(port + 10_000) { return port }
    }
    throw BenchmarkError("no port is free")
}

private func isFree(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    } == 0
}

// The path of a UNIX socket, as system calls take it.

import Glibc

package struct UnixAddress {
    private var address = sockaddr_un()

    /// Throws if the path does not fit.
    package init(path: String) throws(UsageError) {
        let bytes = Array(path.utf8)
        // With the NUL at the end.
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard bytes.count <= room, !bytes.contains(0) else {
            throw UsageError("the socket's path is \(bytes.count) bytes long; the system takes \(room) at the most: \(path)")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    package func withPointer<Result>(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}

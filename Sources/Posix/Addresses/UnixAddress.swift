// The path of a UNIX socket, as system calls take it.

import Glibc

package struct UnixAddress: Sendable {
    private var address = sockaddr_un()
    private var size = socklen_t(MemoryLayout<sockaddr_un>.size)

    /// Throws if the path does not fit.
    package init(path: String) throws(UsageError) {
        let bytes = Array(path.utf8)
        // With the NUL at the end.
        try self.init(bytes, room: Self.room - 1, isText: !bytes.contains(0), path)
    }

    /// A name that no file system has: Linux knows it as `@NAME`. Throws if it does not fit.
    package init(abstract name: String) throws(UsageError) {
        try self.init([0] + Array(name.utf8), room: Self.room, isText: true, "@" + name)
        size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
    }

    private static let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    private init(_ bytes: [UInt8], room: Int, isText: Bool, _ path: String) throws(UsageError) {
        guard bytes.count <= room, isText else {
            throw UsageError("the socket's path is \(bytes.count) bytes long; the system takes \(room) at the most: \(path)")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    package func withPointer<Result>(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, size) }
        }
    }

    /// Sends a datagram to this address, and never waits. Returns 0, or the number of the error.
    package func send(_ bytes: [UInt8], from descriptor: borrowing Descriptor) -> Int32 {
        while true {
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = withPointer { sendto(descriptor.number, bytes, bytes.count, flags, $0, $1) }
            if count >= 0 { return 0 }
            if errno != EINTR { return errno }
        }
    }

    /// The path that a socket is bound to; nil if it has none, or if that is not text.
    package static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        guard isKnown, address.sun_family == AF_UNIX, size > MemoryLayout<sa_family_t>.size else { return nil }
        let path = withUnsafeBytes(of: address.sun_path) { Array($0.prefix { $0 != 0 }) }
        return path.isEmpty ? nil : String(validating: path, as: UTF8.self)
    }
}

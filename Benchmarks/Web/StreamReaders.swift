// Open event streams, read by a thread of their own, as browsers would.

import Foundation
import Glibc

/// Connections that read all input, until they are released.
final class StreamReaders {
    private var descriptors: [Int32] = []
    private let counter = Counter()

    private final class Counter: @unchecked Sendable {
        // One thread writes it; readers may get a value that is a moment old.
        nonisolated(unsafe) var bytes = 0
        nonisolated(unsafe) var isOver = false
    }

    var bytes: Int { counter.bytes }

    init(port: UInt16, paths: [String]) throws {
        for path in paths { try open(port, path) }
        let (descriptors, counter) = (descriptors, counter)
        Thread.detachNewThread {
            var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while !counter.isOver {
                guard poll(&waiting, nfds_t(waiting.count), 50) > 0 else { continue }
                for one in waiting where one.revents != 0 { counter.bytes += max(0, read(one.fd, &buffer, buffer.count)) }
                // As a browser: what comes within a moment is read together.
                usleep(5_000)
            }
        }
    }

    deinit {
        counter.isOver = true
        for descriptor in descriptors { close(descriptor) }
    }

    /// Until the tables of all sessions have been read, and nothing but the status comes.
    func waitUntilCalm() {
        var last = -1
        while bytes - last > 4_000_000 {
            last = bytes
            usleep(1_000_000)
        }
    }

    private func open(_ port: UInt16, _ path: String) throws {
        let descriptor = try Self.connected(port)
        let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        guard Glibc.send(descriptor, request, request.utf8.count, 0) == request.utf8.count else {
            throw BenchmarkError("the page takes no request")
        }
        descriptors.append(descriptor)
    }

    static func connected(_ port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw BenchmarkError("nobody listens at port \(port)") }
        return descriptor
    }
}

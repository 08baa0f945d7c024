// A client that sends literal bytes and reads literal bytes, and transcripts of such conversations.

import Foundation
import Glibc
import Testing

/// One connection to a daemon's socket.
final class Wire: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0, "cannot connect to \(path)")
        Self.limitWaiting(on: descriptor)
    }

    /// Over TCP, on this machine.
    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0, "cannot connect to port \(port)")
        Self.limitWaiting(on: descriptor)
    }

    /// A reply that does not come is a failure, and not a test that hangs.
    private static func limitWaiting(on descriptor: Int32) {
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// So many bytes, or fewer if the connection ends or nothing more comes.
    func read(_ count: Int) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < count {
            let got = Glibc.read(descriptor, &buffer, min(buffer.count, count - bytes.count))
            guard got > 0 else { break }
            bytes += buffer[..<got]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes up to the next line end, without it.
    func readLine() -> String {
        var line = ""
        while !line.hasSuffix("\r\n") {
            let byte = read(1)
            guard !byte.isEmpty else { return line }
            line.unicodeScalars.append(contentsOf: byte.unicodeScalars)
        }
        return String(line.dropLast())
    }

    /// So many lines, or fewer if nothing more comes; says how many there were.
    func skipLines(_ count: Int) -> Int {
        var (lines, buffer) = (0, [UInt8](repeating: 0, count: 65_536))
        while lines < count {
            let got = Glibc.read(descriptor, &buffer, buffer.count)
            guard got > 0 else { break }
            lines += buffer[..<got].count { $0 == UInt8(ascii: "\n") }
        }
        return lines
    }

    /// Nothing more will be sent; what is on its way back can be read.
    func sayNoMore() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends the connection, whatever is still on its way.
    func hangUp() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Everything until the daemon ends the connection.
    func readToEnd() -> String { read(.max) }
}

/// A conversation, line by line: `> ` is sent, with a line end; `< ` must come back, with a line end; `< …` is any line.
func transcript(_ text: String, to daemon: RunningDaemon, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let wire = try Wire(daemon.socketPath)
    for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
        let content = line.dropFirst(2) + "\r\n"
        if line.hasPrefix("> ") {
            wire.send(String(content))
        } else if line == "< …" {
            #expect(!wire.readLine().isEmpty, sourceLocation: sourceLocation)
        } else {
            #expect(wire.read(content.utf8.count) == content, "after: \(line)", sourceLocation: sourceLocation)
        }
    }
}

extension RunningDaemon {
    /// A daemon in virtual time that listens already.
    static func virtual(_ more: [String] = [], products: URL = productsDirectory) throws -> RunningDaemon {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gamed-\(UUID().uuidString.prefix(8))")
        let socket = folder.appending(path: "gamed.sock").path
        let daemon = try RunningDaemon(["--socket", socket, "--time", "virtual"] + more, in: folder, products: products)
        #expect(daemon.readLine()?.contains("listens at") == true)
        return daemon
    }
}

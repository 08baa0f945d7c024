// A client that sends literal bytes and reads literal bytes, and transcripts of such conversations.

import Foundation
import Glibc
import TestSupport
import Testing

/// One connection to a daemon's socket.
final class Wire: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws { descriptor = try dial(path) }

    /// Over TCP, on this machine.
    init(port: Int) throws { descriptor = try dial(port: port) }

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

    /// Whether bytes have arrived that are not read yet.
    var hasInput: Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&question, 1, 0) > 0
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
    static func virtual(
        _ more: [String] = [], products: URL = productsDirectory, unprobed: String? = nil
    ) throws -> RunningDaemon {
        let folder = RunningDaemon.newFolder()
        let socket = folder.appending(path: "gamed.sock").path
        let daemon = try RunningDaemon(
            ["--socket", socket, "--time", "virtual"] + more, in: folder, products: products, unprobed: unprobed)
        #expect(daemon.readLine()?.contains("listens at") == true)
        return daemon
    }
}

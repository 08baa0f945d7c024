// A client of a daemon: sends literal bytes or commands, and reads bytes, lines or replies.

import Foundation
import Glibc
import RESP

/// The daemon has closed the connection, or has not replied in time.
package struct NoAnswer: Error {
    package init() {}
}

package final class TestClient: @unchecked Sendable {
    private let descriptor: Int32
    /// Received bytes that were not read yet. Only one thread may read.
    private var bytes: [UInt8] = []
    private var reader = ReplyReader()

    /// A read or a write fails after `timeout` seconds.
    package init(_ path: String, timeout: Int = Int(waitLimit)) throws { descriptor = try dial(path, timeout: timeout) }

    /// Over TCP, on this machine.
    package init(port: Int, timeout: Int = Int(waitLimit)) throws { descriptor = try dial(port: port, timeout: timeout) }

    deinit {
        close(descriptor)
    }

    // MARK: Sending

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends lines, without their ends. False once the connection is closed.
    @discardableResult
    package func send(_ lines: [String]) -> Bool { send(lines.map { $0 + "\r\n" }.joined()) }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends without blocking. Returns the number of bytes sent.
    package func sendWhatIsTaken(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        return max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)))
    }

    /// Closes the sending half. The daemon's replies can still be read.
    package func shutDownWrites() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection at once.
    package func disconnect() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    // MARK: Commands

    package func ask(_ line: String) throws -> Answer {
        guard send([line]) else { throw NoAnswer() }
        return try next()
    }

    /// Words of any length, as bulks.
    package func ask(words: [String]) throws -> Answer { try ask(bytes: words.map { Array($0.utf8) }) }

    /// Words of any bytes.
    package func ask(bytes words: [[UInt8]]) throws -> Answer {
        let request = words.reduce(into: Array("*\(words.count)\r\n".utf8)) { request, word in
            request += Array("$\(word.count)\r\n".utf8) + word + Array("\r\n".utf8)
        }
        guard send(request) else { throw NoAnswer() }
        return try next()
    }

    /// The next reply or message.
    package func next() throws -> Answer {
        while true {
            if let found = try bytes.withUnsafeBytes({ try reader.next(in: $0) }) {
                bytes.removeFirst(found.length)
                return Answer(reply: found.reply)
            }
            guard receive() else { throw NoAnswer() }
        }
    }

    // MARK: Bytes

    /// Returns whether unread input exists or arrives within `milliseconds`.
    package func hasInput(within milliseconds: Int32 = 0) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !bytes.isEmpty || Glibc.poll(&poll, 1, milliseconds) > 0
    }

    private func receive(_ flags: Int32 = 0) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, flags)
        guard count > 0 else { return false }
        bytes += buffer[..<count]
        return true
    }

    /// Reads `count` bytes; fewer at the connection's end or after the timeout.
    package func read(_ count: Int) -> String {
        while bytes.count < count, receive() {}
        defer { bytes.removeFirst(min(count, bytes.count)) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// The bytes up to the next line end, without it.
    package func readLine() -> String {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: bytes[..<end], as: UTF8.self)
                bytes.removeFirst(end + 1)
                return line.hasSuffix("\r") ? String(line.dropLast()) : line
            }
            guard receive() else { return read(bytes.count) }
        }
    }

    /// Skips `count` lines; fewer at the connection's end or after the timeout. Returns how many there were.
    package func skipLines(_ count: Int) -> Int {
        var lines = 0
        while true {
            lines += bytes.count { $0 == UInt8(ascii: "\n") }
            bytes = []
            guard lines < count, receive() else { return lines }
        }
    }

    /// Returns all received and unread bytes as text, without waiting.
    package func receivedText() -> String {
        while receive(Int32(MSG_DONTWAIT)) {}
        return read(bytes.count)
    }

    /// Reads until the daemon closes the connection.
    package func readToEnd() -> String {
        while receive() {}
        return read(bytes.count)
    }
}

// A client that sends requests and reads their replies one by one.

import Foundation
import Glibc
import Posix
import RESP
import TestSupport
import Testing

/// The daemon has ended, or does not answer.
struct NoAnswer: Error {}

final class Asker: @unchecked Sendable {
    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var reader = ReplyReader()

    /// A reply that does not come within so many seconds is none.
    init(_ path: String, patience: Int = 20) throws { descriptor = try dial(path, patience: patience) }

    /// Over TCP, on this machine.
    init(port: Int, patience: Int = 20) throws { descriptor = try dial(port: port, patience: patience) }

    deinit {
        close(descriptor)
    }

    /// Sends lines, without their ends. False once the connection is closed.
    @discardableResult
    func send(_ lines: [String]) -> Bool {
        send(Array(lines.map { $0 + "\r\n" }.joined().utf8))
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// As many of the bytes as are taken at once.
    func sendWhatIsTaken(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        return max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)))
    }

    func next() throws -> Answer {
        while true {
            if let found = try bytes.withUnsafeBytes({ try reader.next(in: $0) }) {
                bytes.removeFirst(found.length)
                return Answer(reply: found.reply)
            }
            guard receive(0) else { throw NoAnswer() }
        }
    }

    /// Whether something comes within so much time.
    func hasAnswer(within milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !bytes.isEmpty || Glibc.poll(&poll, 1, milliseconds) > 0
    }

    private func receive(_ flags: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, flags)
        guard count > 0 else { return false }
        bytes += buffer[..<count]
        return true
    }

    /// Words of any length, as bulks.
    func ask(words: [String]) throws -> Answer { try ask(bytes: words.map { Array($0.utf8) }) }

    /// Everything that has come and was not looked at, as text.
    func whatHasCome() -> String {
        while receive(Int32(MSG_DONTWAIT)) {}
        defer { bytes = [] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Everything up to the end of the connection.
    func readToEnd() -> String {
        while receive(0) {}
        return whatHasCome()
    }

    /// Nothing more will be sent.
    func sayNoMore() { shutdown(descriptor, Int32(SHUT_WR)) }

    func ask(_ line: String) throws -> Answer {
        guard send([line]) else { throw NoAnswer() }
        return try next()
    }

    /// Words of any bytes.
    func ask(bytes words: [[UInt8]]) throws -> Answer {
        let request = words.reduce(into: Array("*\(words.count)\r\n".utf8)) { request, word in
            request += Array("$\(word.count)\r\n".utf8) + word + Array("\r\n".utf8)
        }
        guard send(request) else { throw NoAnswer() }
        return try next()
    }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

// A client that sends many requests in one go, for what redis-benchmark does not do: filling a server, and being refused.

import Foundation
import Glibc
import Posix

final class PipelinedClient {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard let address = try? UnixAddress(path: path) else { return nil }
        if address.withPointer({ connect(descriptor, $0, $1) }) != 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Whether the server is ready for more than a greeting.
    func isAnswered() -> Bool {
        send(Self.request(["ECHO", "x"]) + Self.request(["STATE", "nobody"]) + Self.request(["DBSIZE"]))
        let answer = receive(lines: 4)
        return answer.hasPrefix("$1\r\nx\r\n") && !answer.contains("LOADING")
    }

    /// Sends `count` requests, `depth` at a time, and waits for a reply of one line to each. Returns the seconds in all.
    @discardableResult
    func run(_ count: Int, depth: Int, _ request: (Int) -> [String]) -> Double {
        let began = ContinuousClock.now
        var number = 0
        while number < count {
            let end = min(count, number + depth)
            var bytes: [UInt8] = []
            for next in number..<end { bytes += Self.request(request(next)) }
            send(bytes)
            _ = receive(lines: end - number)
            number = end
        }
        return (ContinuousClock.now - began).seconds
    }

    /// Sends the same bytes over and over: what a client costs that writes its requests only once.
    func repeatBatch(_ bytes: [UInt8], answers: Int, times: Int) -> Double {
        let began = ContinuousClock.now
        for _ in 0..<times {
            send(bytes)
            _ = receive(lines: answers)
        }
        return (ContinuousClock.now - began).seconds
    }

    /// The answers to requests that have one line each, in their order; fewer if the server goes away.
    func lines(_ requests: [[UInt8]]) -> [String] {
        var lines: [String] = []
        var next = 0
        while next < requests.count {
            let end = min(requests.count, next + 500)
            begin(requests[next..<end])
            let answers = takeLines(end - next)
            lines += answers
            guard answers.count == end - next else { break }
            next = end
        }
        return lines
    }

    /// Sends requests; `takeLines` returns their replies.
    func begin(_ requests: some Sequence<[UInt8]>) { send(requests.flatMap { $0 }) }

    func takeLines(_ count: Int) -> [String] {
        var (missing, text) = (count, [UInt8]())
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while missing > 0 {
            let size = read(descriptor, &buffer, buffer.count)
            guard size > 0 else { break }
            for byte in buffer[..<size] where byte == 10 { missing -= 1 }
            text += buffer[..<size]
        }
        return text.split(separator: 10).map { String(decoding: $0.dropLast(), as: UTF8.self) }
    }

    /// The answer to one request, as it came, as far as a few thousand bytes.
    func text(_ words: [String]) -> String {
        send(Self.request(words) + Self.request(["ECHO", "that-is-all"]))
        var (text, buffer) = ("", [UInt8](repeating: 0, count: 1 << 16))
        while !text.contains("that-is-all") {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }

    static func request(_ words: [String]) -> [UInt8] {
        Array(("*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()).utf8)
    }

    private func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func receive(lines: Int) -> String {
        var (missing, text) = (lines, [UInt8]())
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while missing > 0 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            for byte in buffer[..<count] where byte == 10 { missing -= 1 }
            if text.count < 4_096 { text += buffer[..<count] }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

// A load of many connections to one or several servers, from one thread: each connection sends requests that were made ahead, and the next
// ones once all of them are answered. Answers have one line.

import Foundation
import Glibc
import Posix

final class NodeLoad {
    /// A server, and its requests: batches with the maximum of requests that may wait for their replies.
    struct Target {
        let socketPath: String
        let batches: [[UInt8]]

        /// This many requests of these words, for random names.
        init(_ socketPath: String, names: [String], depth: Int, _ request: (String) -> [String]) {
            self.socketPath = socketPath
            var random = QuickRandom(seed: 0x5eed)
            let requests = names.map { PipelinedClient.request(request($0)) }
            batches = (0..<max(1, NodeLoad.madeAhead / depth)).map { _ in
                (0..<depth).flatMap { _ in requests[random.next(below: requests.count)] }
            }
        }
    }

    private struct Line {
        let descriptor: Int32
        let target: Int
        var next: Int
        var missing = 0
    }

    private static let madeAhead = 32_768

    private let targets: [Target]
    private let depth: Int
    private var lines: [Line] = []
    private var watched: [pollfd] = []
    /// Answers so far.
    private(set) var total = 0
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// The connections are spread over the targets.
    init(_ targets: [Target], depth: Int, connections: Int = 50) throws {
        (self.targets, self.depth) = (targets, depth)
        for number in 0..<connections {
            let target = number % targets.count
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            lines.append(Line(descriptor: descriptor, target: target, next: number * 37))
            watched.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
            let address = try UnixAddress(path: targets[target].socketPath)
            guard address.withPointer({ connect(descriptor, $0, $1) }) == 0 else {
                throw BenchmarkError("\(targets[target].socketPath) does not answer: \(errno)")
            }
        }
    }

    deinit {
        for line in lines { close(line.descriptor) }
    }

    /// Replies a second, measured over `seconds`.
    func rate(over seconds: Double) throws -> Double {
        for place in lines.indices { try ask(place) }
        let began = ContinuousClock.now
        let end = began + .seconds(seconds)
        var answered = 0
        while ContinuousClock.now < end { answered += try takeSome { try ask($0) } }
        let rate = Double(answered) / (ContinuousClock.now - began).seconds
        while lines.contains(where: { $0.missing > 0 }) { _ = try takeSome { _ in } }
        return rate
    }

    private func ask(_ place: Int) throws {
        let batches = targets[lines[place].target].batches
        let batch = batches[lines[place].next % batches.count]
        lines[place].next += 1
        lines[place].missing = depth
        var sent = 0
        while sent < batch.count {
            let count = batch[sent...].withUnsafeBytes {
                send(lines[place].descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw BenchmarkError("a server has gone: \(errno)") }
            sent += count
        }
    }

    /// Waits for replies and returns their number. Calls `isDone` with the place of each line that has all its replies.
    private func takeSome(_ isDone: (Int) throws -> Void) throws -> Int {
        guard poll(&watched, nfds_t(watched.count), 30_000) > 0 else {
            throw BenchmarkError("no answer came for half a minute")
        }
        var answered = 0
        for place in watched.indices where watched[place].revents != 0 {
            let count = try receiveReplies(place)
            answered += count
            if count > 0, lines[place].missing == 0 { try isDone(place) }
        }
        return answered
    }

    private func receiveReplies(_ place: Int) throws -> Int {
        let size = recv(lines[place].descriptor, &buffer, buffer.count, 0)
        guard size > 0 else { throw BenchmarkError("a server has gone") }
        var (ends, errors) = (0, 0)
        buffer.withUnsafeBytes {
            for byte in $0[..<size] {
                if byte == UInt8(ascii: "\n") { ends += 1 }
                if byte == UInt8(ascii: "-") { errors += 1 }
            }
        }
        guard errors == 0 else {
            throw BenchmarkError("a server says \(String(decoding: buffer[..<min(size, 300)], as: UTF8.self))")
        }
        lines[place].missing -= ends
        total += ends
        return ends
    }
}

// redis-benchmark, the load that both sides are put under.

import Foundation

/// 50 connections, random names among `names`.
struct RedisBenchmark {
    let peer: Peer
    let names: Int
    /// Where the peer is, as options of redis-benchmark; nil for its UNIX socket.
    var place: [String]?

    private static let runs = 2

    struct Load {
        /// Requests a second.
        let rate: Double
        /// The server's processor time for a request, in microseconds. It counts where the client is the slower one.
        let time: Double
    }

    /// The better figures of two runs, as what disturbs a run only slows it down.
    func load(depth: Int, requests: Int, _ command: [String]) throws -> Load {
        let runs = try (0..<Self.runs).map { _ in try run(depth: depth, requests: requests, command) }
        return Load(rate: runs.map(\.rate).max() ?? 0, time: runs.map(\.time).min() ?? 0)
    }

    private static let rounds = 10

    /// The loads of rivals that take turns, so that what disturbs the machine disturbs all: their median rates, and mean times.
    static func loads(
        of rivals: [(benchmark: RedisBenchmark, command: [String])], depth: Int, requests: Int
    ) throws -> [Load] {
        var runs = rivals.map { _ in [Load]() }
        for _ in 0..<rounds {
            for (index, rival) in rivals.enumerated() {
                runs[index].append(try rival.benchmark.run(depth: depth, requests: requests / rounds, rival.command))
            }
        }
        return runs.map { Load(rate: $0.map(\.rate).median, time: $0.map(\.time).reduce(0, +) / Double(rounds)) }
    }

    private func run(depth: Int, requests: Int, _ command: [String]) throws -> Load {
        let began = peer.processorSeconds
        let rate = try rate(depth: depth, requests: requests, command)
        return Load(rate: rate, time: (peer.processorSeconds - began) / Double(requests) * 1e6)
    }

    /// The same, where only the rate counts.
    func requestsPerSecond(depth: Int, requests: Int, _ command: [String]) throws -> Double {
        try load(depth: depth, requests: requests, command).rate
    }

    private func rate(depth: Int, requests: Int, _ command: [String]) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let words =
            (place ?? ["-s", peer.socketPath]) + ["-c", "50", "-P", "\(depth)", "-n", "\(requests)", "-r", "\(names)", "--csv"]
        process.arguments = ["redis-benchmark"] + words + command
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // "SEND key…","2173913.04","0.6",…: the command as it was said, then requests a second.
        let fields = text.split(separator: "\n").last?.components(separatedBy: "\",\"") ?? []
        guard fields.count > 1, let rate = Double(fields[1].trimmingCharacters(in: ["\""])) else {
            throw BenchmarkError("redis-benchmark says nothing of \(command.joined(separator: " ")): \(text)")
        }
        return rate
    }
}

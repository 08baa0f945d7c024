// redis-benchmark, the load that both sides are put under.

import Foundation

/// 50 connections, random names among `names`.
struct RedisBenchmark {
    let peer: Peer
    let names: Int
    /// Where the peer is, as options of redis-benchmark; nil for its UNIX socket.
    var place: [String]?

    static let runs = 2

    /// Requests a second; the better of two runs, as what disturbs a run only slows it down.
    func requestsPerSecond(depth: Int, requests: Int, _ command: [String]) throws -> Double {
        try (0..<Self.runs).map { _ in try once(depth: depth, requests: requests, command) }.max() ?? 0
    }

    private func once(depth: Int, requests: Int, _ command: [String]) throws -> Double {
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

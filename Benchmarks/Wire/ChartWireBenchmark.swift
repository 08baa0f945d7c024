// SEND to sessions of a flow that is a file, beside Redis' SET.

import Foundation

private let sessions = 100_000

func benchmarkChartWire(_ report: Report) throws {
    for kind in NameKind.allCases {
        report.section(
            "The wire: SEND … pass, of a flow from a file, over 100,000 random sessions, names: \(kind.rawValue) (redis-benchmark, 50 connections)"
        )
        let folder = BenchmarkFolder()
        let file = folder.url.appending(path: "pair.json5")
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        try FlatFile.plain.write(to: file, atomically: true, encoding: .utf8)
        let (redis, gamed) = (
            try folder.redis(["--appendonly", "no"]), try folder.gamed(["--data", "none", "--flows", file.path])
        )
        try fill(redis, gamed, sessions, kind, flow: "pair")
        let set = try RedisBenchmark(peer: redis, names: sessions).requestsPerSecond(
            depth: 64, requests: 3_000_000, ["SET", kind.anyOne, "second"])
        let send = try RedisBenchmark(peer: gamed, names: sessions).requestsPerSecond(
            depth: 64, requests: 3_000_000, ["SEND", kind.anyOne, "pass"])
        report.add(
            "depth 64", unit: "1/s", ["gamed": send, "Redis SET": set],
            target: .init(text: "1.5 times SET", reached: send >= 1.5 * set))
    }
}

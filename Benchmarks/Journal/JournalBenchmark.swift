// SEND with everything kept, beside Redis' SET with its append-only file, by the same promise.

import Foundation

private let sessions = 100_000
private let probes = 1_000

func benchmarkJournal(_ report: Report) throws {
    report.section("The journal: SEND, history included, beside Redis with AOF (100,000 random sessions)")
    for durability in ["everysec", "always"] {
        let folder = BenchmarkFolder()
        let redis = try folder.redis(["--appendonly", "yes", "--appendfsync", durability])
        let data = folder.url.appending(path: "data").path
        let gamed = try folder.gamed(["--data", data, "--durability", durability])
        try fill(redis, gamed, sessions, .uuid)
        for (depth, target) in [(64, 1.2), (16, 1.0), (1, 0.9)] {
            let requests = min(2_000_000, depth * 30_000) / (durability == "always" ? 4 : 1)
            let set = try RedisBenchmark(peer: redis, names: sessions).requestsPerSecond(
                depth: depth, requests: requests, ["SET", NameKind.uuid.anyOne, "second"])
            let send = try RedisBenchmark(peer: gamed, names: sessions).requestsPerSecond(
                depth: depth, requests: requests, ["SEND", NameKind.uuid.anyOne, "pass"])
            report.add(
                "\(durability), depth \(depth)", unit: "1/s", ["gamed": send, "Redis SET": set],
                target: .init(text: "\(target) times SET", reached: send >= target * set))
        }
        try benchmarkStall(report, gamed, durability)
    }
}

/// How late timers fire while the journal is under full load: a thousand sessions tick once a second, each at its own moment.
private func benchmarkStall(_ report: Report, _ gamed: Peer, _ durability: String) throws {
    guard let client = PipelinedClient(gamed.socketPath) else { throw BenchmarkError("gamed does not answer") }
    for batch in 0..<100 {
        client.run(probes / 100, depth: 10) {
            ["NEW", "probe:\(batch).\($0)", "game", #"{"state":"playingLevel","episode":1,"level":1,"play":{"seconds":0}}"#]
        }
        usleep(10_000)
    }
    client.run(1, depth: 1) { _ in ["CONFIG", "RESETSTAT"] }
    _ = try RedisBenchmark(peer: gamed, names: sessions).requestsPerSecond(
        depth: 64, requests: durability == "always" ? 1_500_000 : 4_000_000, ["SEND", NameKind.uuid.anyOne, "pass"])
    let info = client.text(["INFO", "time"])
    let figure = { (name: String) in
        info.split(separator: "\r\n").first { $0.hasPrefix(name + ":") }.flatMap { Double($0.dropFirst(name.count + 1)) }
            ?? .nan
    }
    let p99 = figure("lateness_p99_us") / 1_000
    report.add(
        "\(durability): lateness of \(Int(figure("timers_fired"))) timers under load, p99", unit: "ms",
        ["gamed": p99, "longest": figure("lateness_max_us") / 1_000],
        target: .init(text: "at most 5 ms", reached: p99 <= 5))
}

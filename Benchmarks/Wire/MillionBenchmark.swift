// A million sessions with a live countdown each, beside a million keys with expiry.

private let million = 1_000_000

func benchmarkMillionSessions(_ report: Report) throws {
    for kind in NameKind.allCases { try benchmarkMillionSessions(report, kind) }
}

private func benchmarkMillionSessions(_ report: Report, _ kind: NameKind) throws {
    report.section("A million sessions, each with a live countdown, beside a million keys with expiry, names: \(kind.rawValue)")
    let folder = BenchmarkFolder()
    let (redis, gamed) = (try folder.redis(["--appendonly", "no"]), try folder.gamed())
    try fill(redis, gamed, million, kind)
    let (ours, theirs) = (gamed.residentBytes / 1e6, redis.residentBytes / 1e6)
    let most = kind == .uuid ? 1.25 : 1.3
    report.add(
        "resident memory", unit: "MB", ["gamed": ours, "Redis": theirs],
        target: .init(text: "at most \(most) times Redis", reached: ours <= most * theirs))
    let set = try RedisBenchmark(peer: redis, names: million).requestsPerSecond(
        depth: 64, requests: 3_000_000, ["SET", kind.anyOne, "second"])
    let send = try RedisBenchmark(peer: gamed, names: million).requestsPerSecond(
        depth: 64, requests: 3_000_000, ["SEND", kind.anyOne, "pass"])
    report.add(
        "depth 64", unit: "1/s", ["gamed": send, "Redis SET": set],
        target: .init(text: "2 times SET", reached: send >= 2 * set))
}

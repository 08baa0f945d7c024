// SEND beside Redis' SET, and beside a script in Redis that does the same work, with nothing kept on disk.

import Foundation

private let depths = [64, 16, 1]
private let sessions = 100_000

func benchmarkWire(_ report: Report) throws {
    for kind in NameKind.allCases { try benchmarkWire(report, kind) }
}

private func benchmarkWire(_ report: Report, _ kind: NameKind) throws {
    report.section(
        "The wire: SEND … pass, of the flow turns, over 100,000 random sessions, names: \(kind.rawValue) (redis-benchmark, 50 connections)"
    )
    let folder = BenchmarkFolder()
    let (redis, gamed) = (try folder.redis(["--appendonly", "no"]), try folder.gamed())
    try fill(redis, gamed, sessions, kind)
    for depth in depths { try benchmark(depth, report, redis, gamed, kind) }
    try benchmarkRefusals(report, gamed, kind)
}

private func benchmark(_ depth: Int, _ report: Report, _ redis: Peer, _ gamed: Peer, _ kind: NameKind) throws {
    let requests = min(6_000_000, depth == 1 ? 600_000 : depth * 120_000)
    let (benchmark, other) = (RedisBenchmark(peer: gamed, names: sessions), RedisBenchmark(peer: redis, names: sessions))
    let loads = try RedisBenchmark.loads(
        of: [(benchmark, ["SEND", kind.anyOne, "pass"]), (other, ["SET", kind.anyOne, "second"])], depth: depth,
        requests: requests)
    let (send, set) = (loads[0], loads[1])
    let script = try other.load(
        depth: depth, requests: requests / 20, ["EVAL", turnScript, "1", "turn:" + kind.anyOne, "pass"])
    let targets = [64: kind == .uuid ? 2.5 : 3, 16: 2.1]
    let target = targets[depth].map { factor in
        Row.Target(
            text: "\(factor) times SET" + (depth == 64 ? ", 15 times the script" : ""),
            reached: send.rate >= factor * set.rate && (depth != 64 || send.rate >= 15 * script.rate))
    }
    report.add(
        "depth \(depth)", unit: "1/s", ["gamed": send.rate, "Redis SET": set.rate, "Redis Lua script": script.rate],
        target: target)
    // At depth 1 the client is the slower side, so the server's processor time is judged.
    report.add(
        "depth \(depth), the server's processor", unit: "µs",
        ["gamed": send.time, "Redis SET": set.time, "Redis Lua script": script.time],
        target: depth == 1 ? .init(text: "1.1 times less than SET", reached: set.time >= 1.1 * send.time) : nil)
}

/// The same work: read the state, see whether the event is valid, and write the new state, which ends after half a minute.
private let turnScript = """
    local state = redis.call('GET', KEYS[1]) or 'first' \
    if ARGV[1] ~= 'pass' then return redis.error_reply('NOTRANSITION') end \
    local new = state == 'first' and 'second' or 'first' \
    redis.call('SET', KEYS[1], new, 'EX', 30) \
    return new
    """

/// Compares refused and accepted events, through the same client and in the same run.
private func benchmarkRefusals(_ report: Report, _ gamed: Peer, _ kind: NameKind) throws {
    guard let client = PipelinedClient(gamed.socketPath) else { throw BenchmarkError("gamed does not answer") }
    client.run(1_000, depth: 100) { ["NEW", "room:\($0)", "game"] }
    let perRequest = { (words: (Int) -> [String]) in
        let bytes = (0..<1_000).flatMap { PipelinedClient.request(words($0)) }
        let seconds = (0..<3).map { _ in client.repeatBatch(bytes, answers: 1_000, times: 500) }.min() ?? 0
        return seconds / 500_000 * 1e9
    }
    let accepted = perRequest { ["SEND", kind.name($0 * 97 % sessions), "pass"] }
    let refused = perRequest { ["SEND", "room:\($0)", "dismissHelp"] }
    report.add(
        "an event refused, beside one accepted", unit: "ns", ["refused": refused, "accepted": accepted],
        target: .init(text: "at most twice", reached: refused <= 2 * accepted))
}

func fill(_ redis: Peer, _ gamed: Peer, _ count: Int, _ kind: NameKind, flow: String = "turns") throws {
    guard let client = PipelinedClient(redis.socketPath), let other = PipelinedClient(gamed.socketPath) else {
        throw BenchmarkError("a server does not answer")
    }
    client.run(count, depth: 1_000) { ["SET", kind.name($0), "first", "EX", "3600"] }
    other.run(count, depth: 1_000) { ["NEW", kind.name($0), flow] }
}

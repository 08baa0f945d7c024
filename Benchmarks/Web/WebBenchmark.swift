// The page beside the wire: what a thousand open streams cost, and how fast the API answers beside nginx.

import Foundation
import Glibc

private let sessions = 100_000
private let streams = 1_000

func benchmarkWeb(_ report: Report) throws {
    try benchmarkStreams(report)
    try benchmarkRequests(report)
}

/// Every stream has a session's view and history, and the status; one in twenty has the table of all sessions besides.
private func benchmarkStreams(_ report: Report) throws {
    report.section(
        "A thousand open streams: SEND … pass over 100,000 random sessions (redis-benchmark, 50 connections, depth 64)")
    let folder = BenchmarkFolder()
    let port = UInt16.random(in: 20_000...29_999)
    let gamed = try folder.gamed(["--data", "none", "--http", "127.0.0.1:\(port)", "--http-open"])
    let kind = NameKind.uuid
    guard let client = PipelinedClient(gamed.socketPath) else { throw BenchmarkError("gamed does not answer") }
    client.run(sessions, depth: 1_000) { ["NEW", kind.name($0), "turns"] }
    let bench = RedisBenchmark(peer: gamed, names: sessions)
    let rate = { try bench.requestsPerSecond(depth: 64, requests: 3_000_000, ["SEND", kind.anyOne, "pass"]) }
    let before = try rate()
    let readers = try StreamReaders(
        port: port,
        paths: (0..<streams).map { number in
            let name = kind.name(number * (sessions / streams))
            return "/api/stream?topic=session:\(name)&topic=history:\(name)&topic=status"
                + (number % 20 == 0 ? "&topic=sessions" : "")
        })
    readers.waitUntilCalm()
    let beginning = readers.bytes
    let during = try rate()
    let read = readers.bytes - beginning
    withExtendedLifetime(readers) {}
    report.add(
        "events while they are read", unit: "1/s", ["with streams": during, "without": before],
        target: .init(
            text: "at least 0.9 of those without: \(String(format: "%.2f", during / before))", reached: during >= 0.9 * before))
    report.add("bytes that the streams read", unit: "MB", ["all": Double(read) / 1e6])
}

/// One connection that is kept alive, one request after the other: a session's view, and a static file of the same size.
private func benchmarkRequests(_ report: Report) throws {
    report.section("Requests through one connection that is kept alive: a session's view, and a file of the same size")
    let folder = BenchmarkFolder()
    let port = UInt16.random(in: 20_000...29_999)
    let gamed = try folder.gamed(["--data", "none", "--http", "127.0.0.1:\(port)", "--http-open", "--session", "room=turns"])
    let ours = try KeptAlive(port: port, path: "/api/sessions/room")
    let size = ours.size
    let nginx = try Nginx(in: folder.url, serving: size)
    let theirs = try KeptAlive(port: nginx.port, path: "/view.json")
    let (here, there) = (try ours.requestsPerSecond(20_000), try theirs.requestsPerSecond(20_000))
    withExtendedLifetime((gamed, nginx)) {}
    report.add("GET of \(size) bytes", unit: "1/s", ["gamed": here, "nginx, a static file": there])
}

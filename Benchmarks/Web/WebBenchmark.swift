// The page beside the wire: what a thousand open streams cost, and how fast the API answers beside nginx.

import Foundation
import Glibc

private let sessions = 100_000
private let streams = 1_000

func benchmarkWeb(_ report: Report) throws {
    try benchmarkStreams(report)
    try benchmarkRequests(report)
}

private func benchmarkStreams(_ report: Report) throws {
    report.section(
        "A thousand open streams: SEND … pass over 100,000 random sessions (redis-benchmark, 50 connections, depth 64)")
    try compareWithStreams("a session's view, history and status each", report) { _ in false }
    try compareWithStreams("one in twenty the table of all besides", report) { $0 % 20 == 0 }
}

/// Before they are opened, while they are read, and after they are closed: the two without are one measure.
private func compareWithStreams(_ what: String, _ report: Report, watchesTable: (Int) -> Bool) throws {
    let folder = BenchmarkFolder()
    let port = UInt16.random(in: 20_000...29_999)
    let gamed = try folder.gamed(["--data", "none", "--http", "127.0.0.1:\(port)", "--http-open"])
    let kind = NameKind.uuid
    guard let client = PipelinedClient(gamed.socketPath) else { throw BenchmarkError("gamed does not answer") }
    client.run(sessions, depth: 1_000) { ["NEW", kind.name($0), "turns"] }
    let load = {
        try RedisBenchmark(peer: gamed, names: sessions).load(depth: 64, requests: 3_000_000, ["SEND", kind.anyOne, "pass"])
    }
    let before = try load()
    var readers: StreamReaders? = try StreamReaders(
        port: port,
        paths: (0..<streams).map { number in
            let name = kind.name(number * (sessions / streams))
            return "/api/stream?topic=session:\(name)&topic=history:\(name)&topic=status"
                + (watchesTable(number) ? "&topic=sessions" : "")
        })
    readers?.waitUntilCalm()
    let beginning = readers?.bytes ?? 0
    let during = try load()
    let read = (readers?.bytes ?? 0) - beginning
    readers = nil
    let after = try load()
    let (rate, time) = ((before.rate + after.rate) / 2, (before.time + after.time) / 2)
    let ratio = during.rate / rate
    report.add(
        "events, \(what)", unit: "1/s", ["with streams": during.rate, "without": rate],
        target: .init(text: "at least 0.9 of those without: \(String(format: "%.2f", ratio))", reached: ratio >= 0.9))
    report.add("the daemon's own time for an event", unit: "µs", ["with streams": during.time, "without": time])
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

// Reading JSON by kinds of data: looked through, one field of it found, all of it made into nodes, and written again. And how long the
// longest payload that may come keeps other clients waiting.

import Foundation
import GameFlow

func benchmarkJSON(_ report: Report) throws {
    report.section("JSON: texts of a megabyte; what comes with SEND is scanned, and a field of it found")
    for kind in JSONKind.all { try benchmark(kind, report) }
    try benchmarkPatience(report)
}

private func benchmark(_ kind: JSONKind, _ report: Report) throws {
    let text = kind.text
    let scanned = try speed(text) { _ = try Payload(text: text) }
    let object = "{\"other\":\(text),\"wanted\":1}"
    let payload = try Payload(text: object)
    let found = try speed(object) { if payload.integer("wanted") != 1 { throw BenchmarkError("a field was not found") } }
    let made = try speed(text) { _ = try JSON(parsing: text) }
    let value = try JSON(parsing: text)
    let written = speed(value.description) { _ = value.description }
    report.add(
        kind.name, unit: "MB/s", ["scanned": scanned, "field": found, "nodes": made, "written": written],
        target: .init(text: "150 MB/s scanned and to find a field", reached: min(scanned, found) >= 150))
}

/// Megabytes a second; the machine is noisy, and the fastest run counts: what the others took longer was not ours.
private func speed(_ text: String, _ body: () throws -> Void) rethrows -> Double {
    let times = try (0..<9).map { _ in try nanoseconds(per: 1, body) }
    return Double(text.utf8.count) / (times.min() ?? 0) * 1_000
}

/// Over the socket, to the last byte of the answer.
private func benchmarkPatience(_ report: Report) throws {
    let folder = BenchmarkFolder()
    let gamed = try folder.gamed()
    guard let client = PipelinedClient(gamed.socketPath) else { throw BenchmarkError("gamed does not answer") }
    client.run(1, depth: 1) { _ in ["NEW", "room", "game"] }
    let times = JSONKind.all.map { kind in
        let request = PipelinedClient.request(["SEND", "room", "chooseEpisode", kind.text])
        return (0..<9).map { _ in client.repeatBatch(request, answers: 1, times: 1) * 1_000 }.median
    }
    let longest = times.max() ?? 0
    report.add(
        "SEND with a payload of the limit's size", unit: "ms", ["longest": longest],
        target: .init(text: "at most 20 ms", reached: longest <= 20))
}

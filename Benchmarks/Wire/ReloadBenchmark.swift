// A million sessions of a changed flow file: how long RELOAD keeps others waiting.

import Foundation

private let million = 1_000_000

func benchmarkReload(_ report: Report) throws {
    report.section("RELOAD of a flow with a million sessions, each with a live countdown: how long another client waits")
    for data in ["none", "data"] { try benchmarkReload(report, data) }
}

private func benchmarkReload(_ report: Report, _ data: String) throws {
    let folder = BenchmarkFolder()
    let file = folder.url.appending(path: "pair.json5")
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let write = { (text: String) in try text.write(to: file, atomically: true, encoding: .utf8) }
    try write(FlatFile.plain)
    let gamed = try folder.gamed(["--data", data, "--flows", file.path])
    guard let filling = PipelinedClient(gamed.socketPath), let asking = PipelinedClient(gamed.socketPath) else {
        throw BenchmarkError("gamed takes no connections")
    }
    filling.run(million, depth: 1_000) { ["NEW", "session-\($0)", "pair"] }
    let atRest = asking.longestWait(for: .seconds(2))
    let journal = data == "none" ? "no data directory" : "a data directory"
    // The states stay as they are; then one of them goes, and comes back.
    let changes = [
        ("all go on", FlatFile.plain.replacingOccurrences(of: "pass: {}", with: "pass: {}, stop: {}")),
        ("all are set aside", FlatFile.plain.replacingOccurrences(of: "first", with: "other")),
        ("all are back", FlatFile.plain),
    ]
    for (what, text) in changes {
        try write(text)
        let reload = OngoingRequest(["RELOAD"], gamed.socketPath)
        let longest = asking.longestWait { !reload.isOver }
        let seconds = String(format: "%.1f s", reload.seconds)
        report.add(
            "\(journal), \(what) (\(seconds))", unit: "ms", ["longest wait": longest * 1e3, "at rest": atRest * 1e3],
            target: .init(text: "20 ms", reached: longest <= 0.02))
    }
}

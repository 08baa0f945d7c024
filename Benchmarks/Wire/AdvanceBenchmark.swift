// A million timers that are due at one instant: how long ADVANCE keeps others waiting.

import Foundation

private let million = 1_000_000

func benchmarkAdvance(_ report: Report) throws {
    report.section("ADVANCE to an instant at which a million timers are due: how long another client waits")
    for isShuffled in [false, true] { try benchmarkAdvance(report, isShuffled: isShuffled) }
}

private func benchmarkAdvance(_ report: Report, isShuffled: Bool) throws {
    let folder = BenchmarkFolder()
    let gamed = try folder.gamed(["--data", "none", "--time", "virtual"])
    guard let filling = PipelinedClient(gamed.socketPath), let asking = PipelinedClient(gamed.socketPath) else {
        throw BenchmarkError("gamed takes no connections")
    }
    filling.run(million, depth: 1_000) { ["NEW", "session-\($0)", "turns"] }
    // An odd factor visits each session once, in no order that the timers were armed in before.
    if isShuffled { filling.run(million, depth: 1_000) { ["SEND", "session-\($0 * 611_953 % million)", "pass"] } }
    let atRest = asking.longestWait(for: .seconds(2))
    let advance = OngoingRequest(["ADVANCE", "30s"], gamed.socketPath)
    let longest = asking.longestWait { !advance.isOver }
    let seconds = String(format: "%.1f s", advance.seconds)
    report.add(
        "\(isShuffled ? "armed again in another order" : "armed in order") (\(seconds))", unit: "ms",
        ["longest wait": longest * 1e3, "at rest": atRest * 1e3],
        target: .init(text: "20 ms", reached: longest <= 0.02))
}

// How long an answer to GET /metrics holds the loop up, where there is much to tell.

import BuiltInFlows
import Statecharts
import Commands
import GameFlow
import Memory
import Monitoring
import RESP
import Sessions
import Timers

func benchmarkMetrics(_ report: Report) throws {
    report.section("GET /metrics: the daemon's figures as Prometheus reads them")
    try add(
        "1,000 flows of 3 states", to: report, host((0..<1_000).map { try flow("flow\($0)", states: 3) }, sessionsOfEach: 3))
    try add("a flow of 1,000 states", to: report, host([flow("large", states: 1_000)], sessionsOfEach: 1_000))
    try add("a million sessions", to: report, host([.flow(Turns.self)], sessionsOfEach: 1_000_000))
}

private func flow(_ name: String, states: Int) throws -> FlowKind {
    let list = (0..<states).map { "s\($0): { on: { go: \"s\(($0 + 1) % states)\" } }" }.joined(separator: ", ")
    let file = FlowFile(bytes: Array("{ id: \"\(name)\", initial: \"s0\", states: { \(list) } }".utf8), path: name)
    guard let definition = file.definition else { throw BenchmarkError("\(file.report)") }
    return try .chart(definition)
}

/// Each flow has sessions in all of its states.
private func host(_ flows: [FlowKind], sessionsOfEach count: Int) throws -> Host {
    let host = Host(on: Timekeeper(VirtualClock()), flows: flows, commands: .all)
    for flow in flows {
        for number in 0..<count {
            let session = try host.begin(ByteString("\(flow.name)/\(number)"), flow)
            for _ in 0..<(flow.states.count > 2 ? number % 1_000 : 0) { _ = try? session.machine.send(at: 0, from: .network) }
        }
    }
    return host
}

private func add(_ what: String, to report: Report, _ host: Host) throws {
    let text = MetricsText(of: host)
    let first = nanoseconds(per: 1) { _ = text.gather() } / 1e6
    let later = (0..<21).map { _ in nanoseconds(per: 1) { _ = text.gather() } / 1e6 }.median
    report.add(
        "\(what), \(text.gather().count >> 10) KB", unit: "ms", ["gamed": later, "the first time": first],
        target: .init(text: "at most 5 ms", reached: later <= 5))
}

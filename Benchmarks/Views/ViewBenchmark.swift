// The cost of a view, which every subscriber of a session gets after each change: of a small session, and of one with much data.

import BuiltInFlows
import Commands
import GameFlow
import Sessions
import Timers

func benchmarkViews(_ report: Report) throws {
    report.section("Views: one, as VIEW and messages have it")
    let keeper = Timekeeper(VirtualClock())
    let host = Host(on: keeper, flows: [.flow(Turns.self), .flow(Game.self), .flow(Onboarding.self)], commands: .all)
    for (flow, events) in [("turns", []), ("onboarding", []), ("game", ["startPlaying", "chooseEpisode 2", "chooseLevel 3"])] {
        try host.begin("a session of \(flow)", flow: flow)
        guard let session = host.sessions.find("a session of \(flow)") else { throw BenchmarkError("no session") }
        for event in events {
            let words = event.split(separator: " ").map(String.init)
            _ = try session.machine.send(
                named: words[0], payload: words.count > 1 ? Payload(text: words[1]) : nil, from: .network)
        }
        report.add(
            "\(flow): \(session.machine.stateName), \(viewText(of: session).utf8.count) bytes", unit: "ns",
            ["gamed": cost(session), "of it data": dataCost(session)])
    }
}

private let operations = 20_000

private func cost(_ session: Session) -> Double {
    (0..<9).map { _ in nanoseconds(per: operations) { for _ in 0..<operations { _ = viewText(of: session) } } }.median
}

private func dataCost(_ session: Session) -> Double {
    (0..<9).map { _ in
        nanoseconds(per: operations) { for _ in 0..<operations { _ = try? session.machine.shownData().description } }
    }.median
}

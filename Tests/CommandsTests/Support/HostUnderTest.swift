// A host in virtual time, with the built-in flows, flows from files, and one client.

import BuiltInFlows
import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Simulation
@testable import Sessions

struct HostUnderTest {
    let host: Host
    private let client: LocalClient

    init(_ charts: String..., change: (inout Limits) -> Void = { _ in }) throws {
        var limits = Limits()
        change(&limits)
        host = Host(
            on: Timekeeper(VirtualClock()), flows: try charts.map(FlowKind.chart(text:)) + RehearsedFlows.builtIn.makeIdle(),
            commands: .all,
            limits: limits)
        client = LocalClient(of: host, from: .network, named: "ann")
    }

    @discardableResult
    func run(_ words: [String]) -> Answer {
        Answer(reply: client.run(words).last { if case .push = $0 { false } else { true } } ?? .null)
    }

    /// Runs a command. Words are separated by spaces; the text from the first brace on is one word.
    @discardableResult
    func run(_ line: String) -> Answer {
        let head = line.prefix { $0 != "{" }
        let words = head.split(separator: " ").map(String.init)
        return run(head.count == line.count ? words : words + [String(line.dropFirst(head.count))])
    }

    /// Returns the texts that were pushed while this command ran.
    func pushed(by line: String) -> [String] {
        client.run(line.split(separator: " ").map(String.init)).compactMap { reply in
            if case .push(let parts) = reply { parts.last?.text } else { nil }
        }
    }

    func state(_ name: String) -> String? { run(["STATE", name])["state"]?.text }
    func data(_ name: String) -> String? { run(["STATE", name])["data"]?.text }
    func life(_ name: String) -> Int? { run(["STATE", name])["life"]?.integer }

    /// Returns the history, newest entry first: its kind, event and actor.
    func history(_ name: String) -> [String] {
        run(["HISTORY", name]).list.map { line in
            [line["what"]?.text, line["event"]?.text, line["actor"]?.text].compactMap(\.self).joined(separator: " ")
        }
    }

    /// Returns the name and the remaining milliseconds of each timer, with `paused` if it is.
    func timers(_ name: String) -> [String] {
        run(["TIMERS", name]).list.map { timer in
            let paused = timer["paused"]?.reply == .boolean(true) ? " paused" : ""
            return "\(timer["name"]?.text ?? "") \(timer["remaining_ms"]?.integer ?? -1)\(paused)"
        }
    }
}

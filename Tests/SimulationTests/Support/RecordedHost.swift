// A host in virtual time whose sessions are played, at random or by a script, and their histories as clients see them.

import GameFlow
import RESP
import Seeds
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Sessions
@testable import Simulation

final class RecordedHost {
    private let host: Host
    private let client: LocalClient
    private let executor = ManualExecutor()
    let standIns = StandIns()

    static let flows = ["game", "startup", "registration", "onboarding", "permissions", "turns"]

    init(linesPerSession: Int = 10_000) {
        var limits = Limits()
        limits.sessionHistory = linesPerSession
        host = Host(
            on: Timekeeper(VirtualClock()), flows: FlowKind.builtIn(executor: executor, work: standIns.work), commands: .all,
            limits: limits)
        client = LocalClient(of: host, from: .network)
        host.timeObserver = executor
    }

    deinit {
        for session in sessions.all { _ = sessions.drop(session) }
        executor.run()
    }

    var sessions: Sessions { host.sessions }
    var timekeeper: Timekeeper { host.timekeeper }

    @discardableResult
    func run(_ words: String...) -> Reply { run(words) }

    @discardableResult
    func run(_ words: [String]) -> Reply {
        let reply = client.run(words).last ?? .null
        while executor.run() > 0 || timekeeper.hasDue { host.fireDueTimers() }
        return reply
    }

    /// A line of words, with JSON that has no blanks in it.
    @discardableResult
    func say(_ line: String) -> Reply { run(line.split(separator: " ").map(String.init)) }

    func history(_ session: String) -> [Reply] {
        guard case .array(let lines) = run("HISTORY", session, "COUNT", "100000") else { return [] }
        return lines
    }

    func record(_ session: String) throws -> RecordedSession {
        try #require(RecordedSession(state: run("STATE", session), history: .array(history(session))))
    }

    func replay(_ session: String) throws -> ReplayReport {
        try #require(HistoryReplay.run(try record(session)))
    }

    // MARK: At random

    /// Runs one random command.
    func runRandomCommand(on session: String, _ random: inout SeededGenerator) throws {
        let kind = try #require(sessions[session]).kind
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<62:
            let event = try #require(kind.events.randomElement(using: &random))
            run(["SEND", session, event.name] + payload(of: event, &random))
        case 62..<84: run("ADVANCE", "\(Int.random(in: 0..<40_000, using: &random))")
        case 84..<87: run("SEND", session, "nonsense", "1")
        case 87..<90: run("SEND", session, try #require(kind.events.randomElement(using: &random)).name, "{no")
        case 90..<92: run("PAUSE", session)
        case 92..<96: run("RESUME", session)
        case 96..<98: extendRandomTimer(of: session, &random)
        default:
            let state = try #require(kind.states.randomElement(using: &random))
            run("FORCE", session, state, dataForForcing(state))
        }
    }

    private func extendRandomTimer(of session: String, _ random: inout SeededGenerator) {
        guard let timer = sessions[session]?.timers.randomElement(using: &random) else { return }
        run("EXTEND", session, timer.plan.name, "\(Int.random(in: -20_000..<20_000, using: &random))")
    }

    private func payload(of event: AcceptedEvent, _ random: inout SeededGenerator) -> [String] {
        guard let payload = event.payload else { return Int.random(in: 0..<20, using: &random) == 0 ? ["3"] : [] }
        let number = Int.random(in: 0..<6, using: &random)
        switch payload.shape {
        case .integer: return number == 5 ? [#"{"\#(payload.name)":2}"#] : ["\(number)"]
        case .object: return number < 2 ? [#"{"hasSession":false}"#] : [#"{"hasSession":true,"userID":"ann"}"#]
        case .text, .number, .boolean: return number == 0 ? [] : number == 1 ? [#""""#] : ["AA:BB:CC:DD:EE:0\(number)"]
        }
    }
}

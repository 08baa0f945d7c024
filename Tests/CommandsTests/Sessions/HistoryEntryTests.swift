// Each entry of a session's history is also a message, a count of INFO and a line of the log.

import GameFlow
import RESP
import Synchronization
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import JSON
@testable import Logging
@testable import Sessions
@testable import Simulation

@Suite struct `The entries of a session` {
    /// The entries of a gate in its first life, at least one of each kind.
    private static let story = [
        "begun", "postponed", "withdrawn", "postponed", "ignored", "refused", "waiting", "taken", "waiting", "taken", "paused",
        "resumed", "forced",
        "paused", "extended", "resumed", "waiting", "refused",
    ]

    private func playStory(on host: HostWithHooks) {
        host.say("NEW gate gate")
        host.say("SEND gate greet")
        host.say("WITHDRAW gate 1")
        host.say("SEND gate greet")
        host.say("SEND gate knock")
        host.say("SEND gate nonsense")
        host.say("SEND gate open")
        host.decide()
        // The greeting is delivered now, and waits for the hook as well.
        host.decide()
        for line in ["PAUSE gate", "PAUSE gate", "RESUME gate", "FORCE gate closed", "PAUSE gate rest"] { host.say(line) }
        for line in ["EXTEND gate rest 5s", "RESUME gate rest", "SEND gate open"] { host.say(line) }
        host.decide("it is late")
    }

    @Test func `Each entry of a session is in the history and a message, in one order, without gaps`()
        throws
    {
        let host = HostWithHooks()
        let listener = host.listener()
        _ = listener.run(["SUBSCRIBE", "session:gate"])
        playStory(on: host)
        host.say("DROP gate")
        let messages = try messages(to: listener)
        #expect(messages.map { $0["what"]?.text } == Self.story + ["dropped"])
        #expect(messages.map { $0["seq"]?.integer } == Array(1...Self.story.count + 1))
        #expect(host.history("gate").map { $0["what"]?.text } == Self.story + ["dropped"])
        #expect(messages.compactMap { $0["code"]?.text } == ["BADEVENT", "VETOED"])
        #expect(messages.last { $0["what"] == "refused" }?["refused"] == "it is late")
        host.say("NEW gate gate")
        #expect(try self.messages(to: listener).map { $0["seq"]?.integer } == [1], "a new life starts at 1")
    }

    @Test func `Each entry of a session is counted by INFO`() throws {
        let host = HostWithHooks()
        playStory(on: host)
        host.say("DROP gate")
        let info = host.say("INFO sessions").text ?? ""
        for what in HistoryEntry.Kind.allCases {
            let count = (Self.story + ["dropped"]).count { $0 == what.name }
            let name = (what.command == nil ? "events_" : "sessions_") + what.name
            #expect(count > 0 && info.contains("\r\n\(name):\(count)\r\n"), "\(name) in \(info)")
        }
    }

    @Test func `Each entry of a session is in the log at level debug, and only at that level`() throws {
        let host = HostWithHooks()
        playStory(on: host)
        host.say("DROP gate")
        #expect(host.logged == [])
        host.say("CONFIG SET log debug")
        playStory(on: host)
        let lines = host.logged.filter { $0.hasPrefix("'gate' ") }
        #expect(
            lines == [
                "'gate' was begun by ann, and is in closed",
                "'gate' greet from network: postponed in closed",
                "'gate' greet: withdrawn by ann",
                "'gate' greet from network: postponed in closed",
                "'gate' knock from network: ignored in closed",
                "'gate' nonsense from network: refused, BADEVENT 'gate' has no event 'nonsense'; available: open, greet, knock",
                "'gate' open from network: waiting in closed",
                "'gate' open from network: taken, closed to open",
                "'gate' greet from network: waiting in open",
                "'gate' greet from network: taken in open",
                "'gate' was paused by ann, and is in open",
                "'gate' was resumed by ann, and is in open",
                "'gate' was forced by ann, and is in closed",
                "'gate' was paused by ann, timer rest, and is in closed",
                "'gate' was extended by ann, timer rest, and is in closed",
                "'gate' was resumed by ann, timer rest, and is in closed",
                "'gate' open from network: waiting in closed",
                "'gate' open from network: refused, VETOED it is late",
            ])
        host.say("CONFIG SET log notice")
        let count = host.logged.count
        host.say("SEND gate knock")
        #expect(host.logged.count == count)
    }

    @Test func `A session's history can be replayed, except for a hook's veto`() throws {
        let host = HostWithHooks()
        playStory(on: host)
        host.say("SEND gate open")
        host.decide()
        var recorded = try host.record("gate")
        let report = try #require(HistoryReplay.run(recorded, HostWithHooks.flows))
        #expect(report.verdict == .agrees && report.isComplete && report.beginning == "closed")
        let unchecked = report.steps.filter { $0.unchecked != nil }
        #expect(unchecked.map(\.number) == [Self.story.count])
        #expect(unchecked.first?.unchecked == "it had waited for a hook; a replay does not run hooks")
        // A refusal without a waiting entry is the flow's own, and a replay must reproduce it.
        recorded.lines.remove(at: Self.story.count - 2)
        let number = Self.story.count - 1
        #expect(
            HistoryReplay.run(recorded, HostWithHooks.flows)?.verdict
                == .differs(at: number, "recorded refused with VETOED, the flow went to 'open'"))
    }

    @Test func `The event of a timer that ends while it waits behind a hook is refused, which a replay does not check`() throws
    {
        let host = HostWithHooks()
        for line in ["NEW gate gate", "ADVANCE 95s", "SEND gate open", "ADVANCE 6s"] { host.say(line) }
        host.decide()
        #expect(
            host.history("gate").map { "\($0["event"]?.text ?? "") \($0["what"]?.text ?? "")" } == [
                "NEW begun", "open waiting", "over waiting", "open taken", "over refused",
            ])
        let report = try #require(HistoryReplay.run(try host.record("gate"), HostWithHooks.flows))
        #expect(report.verdict == .agrees)
        #expect(
            report.steps.compactMap(\.unchecked) == [
                "it was withdrawn while it waited for a hook; a replay does not run hooks"
            ])
    }

    private func messages(to listener: LocalClient) throws -> [JSON] {
        try listener.takeReplies().map { reply in
            guard case .push(let parts) = reply, let text = parts.last?.text else { throw CancellationError() }
            return try JSON(parsing: text)
        }
    }
}

@Suite struct `A session whose timers form a cycle` {
    @Test func `A session whose timers form a cycle is stopped, as its history, log and replay show`() throws {
        let host = HostWithHooks()
        host.say("NEW wheel wheel")
        host.say("SEND wheel turn")
        let lines = host.history("wheel")
        let last = lines.suffix(2)
        #expect(last.map { $0["what"]?.text } == ["refused", "paused"])
        #expect(
            last.map { $0["event"]?.text } == ["turned", "PAUSE"] && last.map { $0["source"]?.text } == ["timer", "timer"])
        #expect(last.first?["code"]?.text == "LIMIT" && last.last?["actor"]?.text == "the daemon")
        #expect(
            last.first?["refused"]?.text
                == "its timers of zero length fire in a cycle: more than 1000 fired without time passing, so the session's clock was stopped; RESUME starts it again"
        )
        #expect(host.sessions["wheel"]?.isFrozen == true)
        #expect(
            host.logged == [
                "the clock of 'wheel' was stopped: its timers of zero length fire in a cycle; HISTORY names them, RESUME resumes it"
            ])
        let report = try #require(HistoryReplay.run(try host.record("wheel"), HostWithHooks.flows))
        #expect(report.verdict == .agrees && report.steps.count == lines.count)
        #expect(report.steps.compactMap(\.unchecked) == ["a limit of the daemon refused it; flows do not decide that"])
    }

    @Test func `STATE, INFO and SESSIONS show a session that was stopped for a timer cycle until it is resumed`()
        throws
    {
        let host = HostWithHooks()
        for line in ["NEW wheel wheel", "NEW paused wheel", "PAUSE paused", "SEND wheel turn"] { host.say(line) }
        func stopped() throws -> (count: Bool, names: [Reply]) {
            guard case .array(let parts) = host.say("SESSIONS 0 STATE !stopped"), case .array(let names) = parts.last
            else {
                throw AccessError("no list")
            }
            let info = host.say("INFO sessions").text ?? ""
            return (info.contains("clocks_stopped:\(names.count)\r\n"), names)
        }
        #expect(
            host.say("STATE wheel")["stopped"]?.text
                == "the daemon stopped its clock: timers of zero length fire in a cycle; HISTORY names them, RESUME starts the clock again"
        )
        #expect(host.say("STATE paused")["stopped"] == nil)
        #expect(try stopped() == (true, [.bulk(text: "wheel")]))
        for line in ["DROP wheel", "UNDROP wheel"] {
            host.say(line)
            let isThere = line == "UNDROP wheel"
            #expect(try stopped() == (true, isThere ? [.bulk(text: "wheel")] : []), "\(line)")
        }
        host.say("FORCE wheel \(host.sessions["paused"]?.stateName ?? "")")
        #expect(try stopped() == (true, [.bulk(text: "wheel")]), "its clock is still paused")
        host.say("RESUME wheel")
        #expect(try stopped() == (true, []))
        host.say("PAUSE wheel")
        #expect(host.say("STATE wheel")["stopped"] == nil)
        #expect(try stopped() == (true, []))
    }
}

@Suite struct `The actor of an entry` {
    @Test func `The actor is recorded for its own action, and not for a later one`() throws {
        let host = HostWithHooks()
        host.say("NEW gate gate")
        #expect(host.say("FORCE gate nowhere").error != nil)
        try host.sessions["gate"]?.force("open", data: .object([]))
        #expect(host.history("gate").map { $0["actor"]?.text } == ["ann", nil])
    }
}

@Suite struct `The history of a dropped session` {
    @Test func `The history of a dropped session can be read until another session has its name`() throws {
        let host = HostWithHooks()
        for line in ["NEW a turns", "SEND a pass", "DROP a"] { host.say(line) }
        #expect(host.history("a").map { $0["event"]?.text } == ["NEW", "pass", "DROP"])
        #expect(host.say("STATE a").error == .noSession && host.say("HISTORY b").error == .noSession)
        host.say("NEW a gate")
        #expect(host.history("a").map { $0["to"]?.text } == ["closed"], "the successor's")
        host.say("DROP a")
        #expect(host.history("a").map { $0["to"]?.text } == ["closed", "closed"], "still the successor's")
        #expect(host.history("a").map { $0["event"]?.text } == ["NEW", "DROP"])
    }

    @Test func `The history of a dropped session is discarded when newer entries need its memory`() throws {
        let host = HostWithHooks { $0.historyLines = 4_096 }
        for line in ["NEW busy turns", "NEW a turns", "SEND a pass", "DROP a"] { host.say(line) }
        for number in 0..<1_000 { host.say("SEND busy nothing\(number)") }
        #expect(host.history("a").count == 3)
        for number in 0..<9_000 { host.say("SEND busy nothing\(number)") }
        #expect(host.say("HISTORY a").error == .noSession)
        host.say("DROP busy")
        #expect(host.history("busy").last?["event"]?.text == "DROP", "newer entries are still there")
    }
}

/// A host in virtual time, with a readable log and hooks that decide when the test says so.
private final class HostWithHooks {
    private let host: Host
    var logged: [String] { sink.lines }
    private let sink = LogLines()
    private let client: LocalClient
    /// Clients whose replies are pending.
    private var senders: [LocalClient] = []
    private let executor = ManualExecutor()
    private let veto = VetoReason()

    private final class LogLines { var lines: [String] = [] }
    private final class VetoReason: Sendable { let text = Mutex<String?>(nil) }

    static var flows: RehearsedFlows { RehearsedFlows({ [.flow(Gate.self), .flow(Wheel.self)] }, withBuiltIn: true) }

    init(_ change: (inout Limits) -> Void = { _ in }) {
        var limits = Limits()
        limits.sessionHistory = 5_000
        change(&limits)
        let (veto, sink) = (veto, sink)
        let gate = FlowKind.flow(Gate.self) {
            $0.beforeAsync { _, _ in if let text = veto.text.withLock({ $0 }) { throw Veto(description: text) } }
        }
        gate.executor = executor
        let log = Log(level: .notice, style: .journal) {
            sink.lines += String(decoding: $0, as: UTF8.self).split(separator: "\n").map { String($0.dropFirst(3)) }
            return true
        }
        host = Host(
            on: Timekeeper(VirtualClock()), flows: [gate, .flow(Wheel.self)] + Self.builtIn, commands: .all, limits: limits,
            log: log)
        client = LocalClient(of: host, from: .network, named: "ann")
    }

    private static var builtIn: [FlowKind] { RehearsedFlows.builtIn.makeIdle() }

    var sessions: Sessions { host.sessions }

    /// Another client within the process.
    func listener() -> LocalClient { LocalClient(of: host) }

    deinit {
        for session in sessions.all { _ = sessions.drop(session) }
        executor.run()
    }

    /// Returns the reply, or null if it is pending.
    @discardableResult
    func say(_ line: String) -> Reply {
        let sender = line.hasPrefix("SEND gate open") ? LocalClient(of: host, from: .network) : client
        if sender !== client { senders.append(sender) }
        return sender.run(line.split(separator: " ").map(String.init)).last ?? .null
    }

    /// Lets the waiting hooks decide now.
    func decide(_ text: String? = nil) {
        veto.text.withLock { $0 = text }
        executor.run()
        host.fireDueTimers()
        veto.text.withLock { $0 = nil }
    }

    /// The oldest line first.
    func history(_ session: String) -> [Reply] {
        guard case .array(let lines) = say("HISTORY \(session) COUNT 100000") else { return [] }
        return lines.reversed()
    }

    func record(_ session: String) throws -> RecordedSession {
        try #require(RecordedSession(state: say("STATE \(session)"), history: .array(history(session).reversed())))
    }
}

private struct Veto: Error, CustomStringConvertible { let description: String }

extension Reply {
    fileprivate var error: ErrorCode? {
        if case .error(let code, _) = self { code } else { nil }
    }
}

/// Greetings wait until it is open, and a knock is ignored.
private struct Gate: TypedFlow {
    enum State: FlowState { case closed(rest: Countdown), open }
    enum Event: Sendable { case open, greet, knock, over }

    static let events = Catalogue<Event>(.plain(.open), .plain(.greet), .plain(.knock), .timer(.over))
    static let rest = TimerPlan.countdown("rest", .seconds(100), message: Event.over)
    static let timers = [rest]
    static func configure(_ definition: inout FlowDefinition<Self>) { definition.policy = .ignore }

    let clock: FlowClock

    func initialState() throws -> State { .closed(rest: try Countdown(Self.rest, on: clock)) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.closed, .open): { .open }
        case (.closed, .greet): throw .postpone
        case (.open, .greet): { .open }
        case (.closed, .over): { try initialState() }
        case (_, .knock), (.open, .open), (.open, .over): throw .transitionNotFound
        }
    }
}

/// Fires timers without end once it has been turned, and no time passes.
private struct Wheel: TypedFlow {
    enum State: FlowState { case still, turning(turn: Countdown) }
    enum Event: Sendable { case turn, turned }

    static let events = Catalogue<Event>(.plain(.turn), .timer(.turned))
    static let turn = TimerPlan.countdown("turn", .zero, message: Event.turned)
    static let timers = [turn]
    static func configure(_ definition: inout FlowDefinition<Self>) { definition.isChecked = false }

    let clock: FlowClock

    func initialState() throws -> State { .still }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        { .turning(turn: try Countdown(Self.turn, on: clock)) }
    }
}

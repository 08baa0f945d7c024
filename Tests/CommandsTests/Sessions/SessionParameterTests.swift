// Parameters of sessions: of flow files, and of an application's own flows.

import GameFlow
import RESP
import Synchronization
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Simulation

/// A room that is played against the clock, for the minutes in its parameter.
private struct Escape: TypedFlow {
    struct Context: SessionContext {
        var minutes = 60
    }

    enum State: FlowState {
        case playing(hour: Countdown)
        case solved(left: Int)
        case over
    }

    enum Event: Sendable { case solve, hourIsOver }

    static let parameters: [Parameter] = [.integer("minutes", in: 10...120)]
    static let events = Catalogue<Event>(.plain(.solve), .timer(.hourIsOver))
    static let hour = TimerPlan.countdown("hour", .seconds(3_600), message: Event.hourIsOver)
    static let timers = [hour]

    let clock: FlowClock
    let context: Context

    func plan(_ timer: TimerPlan) -> TimerPlan { timer.lasting(.seconds(context.minutes * 60)) }

    func initialState() throws -> State { .playing(hour: try Countdown(plan(Self.hour), on: clock)) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.playing(let hour), .solve): solve(hour)
        case (.playing, .hourIsOver): { .over }
        default: throw .transitionNotFound
        }
    }

    private func solve(_ hour: Countdown) -> Transition {
        { .solved(left: (hour.remaining ?? .zero) >= .seconds(60) ? context.minutes : 0) }
    }
}

@Suite struct `A session of a flow file with parameters` {
    private let host: HostUnderTest

    init() throws { host = try HostUnderTest(counterFlow) }

    private func context(_ name: String) -> String? { host.run("STATE \(name)")["context"]?.text }

    @Test func `STATE shows a session's parameters, defaults included, and only given parameters are saved`() {
        for line in ["NEW plain counter", #"NEW given counter {"context":{"n":5}}"#, #"NEW down counter {"state":"down"}"#] {
            #expect(!host.run(line).isError, "\(line)")
        }
        host.run("SEND plain add 1")
        #expect(host.data("plain") == #"{"n":3,"words":""}"#)
        #expect(context("plain") == #"{"n":1,"words":""}"# && context("down") == context("plain"))
        #expect(context("given") == #"{"n":5,"words":""}"#)
        #expect(host.host.sessions["plain"]?.savedContextText == nil && host.host.sessions["given"]?.savedContextText != nil)
        host.run(#"RESTART given {"state":"down"}"#)
        #expect(context("given") == context("plain"), "RESTART with a state has given no parameters")
        host.run("DROP plain")
        host.run("UNDROP plain")
        #expect(host.data("plain") == #"{"n":3,"words":""}"# && context("plain") == #"{"n":1,"words":""}"#)
        host.run("NEW other turns")
        #expect(context("other") == nil, "its flow has no parameters")
    }

    @Test func `A replay of a session without given parameters begins with the defaults of the replayed file`() throws {
        host.run("NEW room counter")
        let (state, history) = (host.run("STATE room").reply, host.run("HISTORY room").reply)
        let recorded = try #require(RecordedSession(state: state, history: history))
        let file = #"{ id: "counter", context: { n: 1 }, initial: "up", states: { up: {} } }"#
        nonisolated(unsafe) let flows = [try FlowKind.chart(text: file)]
        let report = try #require(HistoryReplay.run(recorded, RehearsedFlows({ flows }, withBuiltIn: false)))
        #expect(report.beginning == "up" && report.steps.count == 1, "\(report.verdict)")
    }
}

@Suite struct `A daemon with an application's own flows` {
    private let host: Host
    private let client: LocalClient

    init() {
        host = Host(on: Timekeeper(VirtualClock()), flows: [.flow(Escape.self)], commands: .all)
        client = LocalClient(of: host, from: .network)
    }

    private func say(_ words: String...) -> Reply { client.run(words).last ?? .null }

    @Test func `NEW creates sessions with a flow's parameters, and STATE shows them`() {
        #expect(say("NEW", "room", "escape", #"{"context":{"minutes":45}}"#).text == "playing")
        #expect(say("STATE", "room")["context"]?.text == #"{"minutes":45}"#)
        #expect(host.sessions["room"]?.timers.first?.remaining == .seconds(45 * 60))
        #expect(say("NEW", "other", "escape").text == "playing")
        #expect(say("STATE", "other")["context"]?.text == #"{"minutes":60}"#)
        #expect(
            say("NEW", "third", "escape", #"{"context":{"minutes":20},"state":"solved","data":{"left":7}}"#).text == "solved")
        #expect(say("STATE", "third")["data"]?.text == #"{"left":7}"#)
        #expect(say("FORCE", "room", "playing").text == "playing")
        #expect(host.sessions["room"]?.timers.first?.remaining == .seconds(45 * 60), "FORCE keeps the parameters")
    }

    @Test(
        arguments: [
            (#"{"context":{"minutes":5}}"#, "the parameter 'minutes' is a whole number from 10 to 120, and not 5"),
            (#"{"context":{"hours":1}}"#, "'escape' has no parameter 'hours'; available: minutes"),
            (#"{"data":{"left":7}}"#, #"data needs the state that it is of: {"state":"playing","data":…}"#),
            (
                #"{"state":"solved","data":{"left":7},"right":4}"#,
                #"NEW's JSON has 'right' beside data; write it within data: {"data":{"right":…}}"#
            ),
            (
                #"{"context":{"minutes":20},"state":"solved","data":{"left":7},"minutes":45}"#,
                #"{"data":{"minutes":…}}, or the flow's parameter within context: {"context":{"minutes":…}}"#
            ),
            (
                #"{"minutes":45}"#,
                #"NEW's JSON is an object that names the state to begin in: {"state":"playing"}, or gives the flow's parameters: {"context":{"minutes":…}}"#
            ),
        ])
    func `NEW refuses invalid parameters of a flow`(json: String, sentence: String) {
        guard case .error(.badEvent, let said) = say("NEW", "room", "escape", json) else {
            Issue.record("it was accepted"); return
        }
        #expect(said.contains(sentence), "\(said)")
        #expect(host.sessions["room"] == nil)
    }

    @Test func `DESCRIBE lists a flow's parameters`() {
        guard case .array(let parameters)? = say("DESCRIBE", "escape")["parameters"] else { Issue.record("none"); return }
        #expect(parameters.map { $0["name"]?.text } == ["minutes"] && parameters[0]["default"]?.text == "60")
        #expect(parameters[0]["allowed"]?.text == "a whole number from 10 to 120")
    }

    @Test func `A replay uses the session's parameters`() throws {
        for begin in [["NEW", "room", "escape", #"{"context":{"minutes":45}}"#], ["NEW", "other", "escape"]] {
            _ = client.run(begin)
            _ = client.run(["ADVANCE", "100000"])
            _ = client.run(["SEND", begin[1], "solve"])
            let history = client.run(["HISTORY", begin[1], "COUNT", "100"]).last ?? .null
            let recorded = try #require(RecordedSession(state: say("STATE", begin[1]), history: history))
            let report = try #require(HistoryReplay.run(recorded, RehearsedFlows({ [.flow(Escape.self)] }, withBuiltIn: false)))
            #expect(report.verdict == .agrees && report.isComplete, "\(report.verdict)")
        }
    }

    @Test func `A replay runs a flow's before hooks, and not its after hooks`() throws {
        _ = say("NEW", "room", "escape")
        _ = say("SEND", "room", "solve")
        let recorded = try #require(RecordedSession(state: say("STATE", "room"), history: say("HISTORY", "room")))
        let calls = Mutex<[String]>([])
        let flow = FlowKind.flow(Escape.self) { escape in
            escape.before { session, _, _ in calls.withLock { $0.append("before in \(session.sessionName)") } }
            escape.after { _, _ in calls.withLock { $0.append("after") } }
        }
        nonisolated(unsafe) let flows = [flow]
        let report = try #require(
            HistoryReplay.run(recorded, named: "room", RehearsedFlows({ flows }, withBuiltIn: false)))
        #expect(report.verdict == .agrees)
        #expect(calls.withLock { $0 } == ["before in room"])
    }
}

// Custom flows over a restart: two that are made at run time from one Swift type, and one with parameters.

import Foundation
import GameFlow
import Memory
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import JSON
@testable import SQLiteStore
@testable import Sessions

/// States that are data: each has a duration and a next state.
private struct Slides: Flow {
    struct State: FlowState {
        let slide: String
        let timer: Countdown

        var ownName: String? { slide }
        static var allNames: [String] { [] }

        private enum CodingKeys: CodingKey { case timer }

        init(_ slide: String, _ timer: Countdown) { (self.slide, self.timer) = (slide, timer) }

        init(from decoder: any Decoder) throws {
            guard let restoring = decoder.userInfo[RestorationContext.key] as? RestorationContext else {
                throw RestorationError("not by a machine")
            }
            slide = restoring.stateName
            timer = try decoder.container(keyedBy: CodingKeys.self).decode(Countdown.self, forKey: .timer)
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encode(timer, forKey: .timer)
        }

        static func restored(_ name: String, _ data: JSON, _ restoring: RestorationContext) throws -> State {
            try restoring.decode(from: data)
        }
    }

    struct Event: Hashable, Sendable, NamedEvent { let eventName: String }

    let definition: FlowDefinition<Slides>
    let clock: FlowClock

    static func kind(_ name: String, _ slides: [String], seconds: Int) -> FlowKind {
        let next = Event(eventName: "next")
        let definition = FlowDefinition<Slides>(
            name: name, states: slides, events: Catalogue(.plain(next, from: .clientsAndTimers)),
            timers: slides.map { .countdown($0, .seconds(seconds), message: next) })
        return .flow { Slides(definition: definition, clock: $0) }
    }

    func initialState() throws -> State { try state(0) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard let index = definition.states.firstIndex(of: state.slide) else { throw .transitionNotFound }
        return { try self.state((index + 1) % definition.states.count) }
    }

    private func state(_ index: Int) throws -> State {
        State(definition.states[index], try Countdown(definition.timers[index], on: clock))
    }
}

/// Lasts as long as its session's parameter says.
private struct Egg: TypedFlow {
    struct Context: SessionContext { var minutes = 4 }
    enum State: FlowState { case boiling(egg: Countdown), done }
    enum Event: Sendable { case ready }

    static let events = Catalogue<Event>(.timer(.ready))
    static let egg = TimerPlan.countdown("egg", .seconds(240), message: Event.ready)
    static let timers = [egg]

    let clock: FlowClock
    let context: Context

    func plan(_ timer: TimerPlan) -> TimerPlan { timer.lasting(.seconds(context.minutes * 60)) }
    func initialState() throws -> State { .boiling(egg: try Countdown(plan(Self.egg), on: clock)) }
    func transition(from state: State, on event: Event) throws(FlowError) -> Transition { { .done } }
    func isFinal(_ state: State) -> Bool { if case .done = state { true } else { false } }
}

/// Refuses the event of its own timer.
private struct RefusingTimer: TypedFlow {
    enum State: FlowState { case waiting(alarm: Countdown) }
    enum Event: Sendable { case rung }

    static let events = Catalogue<Event>(.timer(.rung))
    static let alarm = TimerPlan.countdown("alarm", .seconds(5), message: Event.rung)
    static let timers = [alarm]

    let clock: FlowClock

    /// A check would find that nothing leads out of its state.
    static func configure(_ definition: inout FlowDefinition<Self>) { definition.isChecked = false }

    func initialState() throws -> State { .waiting(alarm: try Countdown(Self.alarm, on: clock)) }
    func transition(from state: State, on event: Event) throws(FlowError) -> Transition { throw .transitionNotFound }
}

@Suite struct `A program with its own flows` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func run(_ body: (Daemon, LocalClient) throws -> Void) throws {
        let flows: [FlowKind] = [
            Slides.kind("tour", ["hall", "garden"], seconds: 30), Slides.kind("ads", ["tea", "cake", "soup"], seconds: 5),
            .flow(Egg.self),
        ]
        try FlowKind.check(flows)
        try run(flows, body)
    }

    private func run(_ flows: [FlowKind], _ body: (Daemon, LocalClient) throws -> Void) throws {
        let loop = try Loop(Timekeeper(VirtualClock()))
        let daemon = try Daemon(on: loop, flows: flows)
        let store = try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 1_000)
        try daemon.recover(from: store)
        try body(daemon, LocalClient(of: daemon.host, from: .network))
        _ = daemon.sessions.recordImages(from: 0, atMost: 1_000)
        try daemon.end()
    }

    @Test func `Sessions of custom flows are restored with their own states, timers and parameters`() throws {
        try run { daemon, client in
            for words in [["NEW", "a", "tour"], ["NEW", "b", "ads"], ["NEW", "c", "egg", #"{"context":{"minutes":9}}"#]] {
                _ = client.run(words)
            }
            _ = client.run(["SEND", "b", "next"])
            _ = client.run(["ADVANCE", "2000"])
        }
        try run { daemon, client in
            let (a, b, c) = (daemon.sessions["a"], daemon.sessions["b"], daemon.sessions["c"])
            #expect(a?.stateName == "hall" && a?.timers.map(\.remaining) == [.seconds(28)])
            #expect(b?.stateName == "cake" && b?.timers.map(\.remaining) == [.seconds(3)])
            #expect(c?.contextText == #"{"minutes":9}"# && c?.timers.map(\.remaining) == [.seconds(538)])
            #expect(c?.timers.first?.plan.length == .seconds(540))
            _ = client.run(["FORCE", "c", "boiling"])
            #expect(daemon.sessions["c"]?.timers.map(\.remaining) == [.seconds(540)])
            _ = client.run(["ADVANCE", "3000"])
            #expect(a?.stateName == "hall" && b?.stateName == "soup")
        }
        #expect(try folder.sql("select context from sessions where name = 'c'") == #"{"minutes":9}"#)
        #expect(try folder.sql("select count(*) from sessions where context is null") == "2")
    }

    @Test func `A refused timer event is not redelivered after a restart`() throws {
        try run([.flow(RefusingTimer.self)]) { daemon, client in
            _ = client.run(["NEW", "d", "refusingTimer"])
            #expect(client.run(["ADVANCE", "6s"]) == [.integer(1)])
        }
        try run([.flow(RefusingTimer.self)]) { daemon, client in
            #expect(daemon.sessions["d"]?.timers.map(\.remaining) == [nil])
            #expect(client.run(["ADVANCE", "1m"]) == [.integer(0)])
        }
        #expect(
            try folder.sql("select what, event, code from history where name = 'd' order by serial")
                == "begun||\nrefused|rung|NOTRANSITION")
    }

    @Test func `A session of a custom flow is set aside while its parameters do not fit`() throws {
        try run { _, client in _ = client.run(["NEW", "c", "egg", #"{"context":{"minutes":9}}"#]) }
        #expect(try folder.sql("update sessions set context = '{\"hours\":1}', checksum = NULL") == "")
        try run { daemon, _ in
            #expect(daemon.sessions["c"] == nil)
            #expect(daemon.sessions.setAsideSessions[ByteString("c")]?.problem.contains("has no parameter 'hours'") == true)
        }
        #expect(try folder.sql("update sessions set context = '{\"minutes\":2}', checksum = NULL") == "")
        try run { daemon, _ in #expect(daemon.sessions["c"]?.contextText == #"{"minutes":2}"#) }
    }
}

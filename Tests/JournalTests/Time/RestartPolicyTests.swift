// Timers by restart policy, in a daemon in this process that was down for a while.

import BuiltInFlows
import Foundation
import GameFlow
import MemoryStore
import PostgresServer
import Store
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Sessions
@testable import SQLiteStore

/// One state with a timer of each policy.
private struct Policies: TypedFlow {
    enum State: FlowState {
        case waiting(keep: Countdown, freeze: Countdown, restart: Countdown, stopped: Countdown, swing: Pendulum)
        case over
    }

    enum Event: Sendable { case keepIsUp, freezeIsUp, restartIsUp, stoppedIsUp, swings }

    static let name = "policies"
    static let states = ["waiting", "over"]
    static let events = Catalogue<Event>(
        .timer(.keepIsUp), .timer(.freezeIsUp), .timer(.restartIsUp), .timer(.stoppedIsUp), .timer(.swings))
    static let keep = TimerPlan.countdown("keep", .seconds(100), restart: .keep, message: Event.keepIsUp)
    static let freeze = TimerPlan.countdown("freeze", .seconds(100), restart: .freeze, message: Event.freezeIsUp)
    static let restart = TimerPlan.countdown("restart", .seconds(100), restart: .restart, message: Event.restartIsUp)
    static let stopped = TimerPlan.countdown("stopped", .seconds(100), restart: .keep, message: Event.stoppedIsUp)
    static let swing = TimerPlan.pendulum("swing", every: .seconds(7), restart: .freeze, message: Event.swings)
    static let timers = [keep, freeze, restart, stopped, swing]

    let clock: FlowClock

    func initialState() throws -> State {
        .waiting(
            keep: try Countdown(Self.keep, on: clock), freeze: try Countdown(Self.freeze, on: clock),
            restart: try Countdown(Self.restart, on: clock), stopped: try Countdown(Self.stopped, on: clock),
            swing: try Pendulum(Self.swing, on: clock))
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition { { .over } }
}

/// The machine's clock, which a test moves forward.
private final class ForwardClock: TimeSource {
    private let machine = SystemClock()
    private var ahead = Duration.zero

    var now: Instant { machine.now.advanced(by: ahead) }

    func skip(_ duration: Duration) { ahead += duration }
}

@Suite struct `Timers over a downtime` {
    /// A state that reports the time in it.
    private static let stay = """
        { id: "stay", context: { ms: 0 }, states: { a: {
          after: { "100s": { name: "end" } }, on: { ask: { actions: { assign: { ms: "elapsed" } } } } } } }
        """

    private let folder: Folder

    init() throws { folder = try Folder() }

    /// A daemon that has restored the sessions of the store.
    private func start(_ store: any Store, expiring rules: [ExpiryRule] = []) throws -> Daemon {
        let flows = [.flow(Policies.self), try FlowKind.chart(text: Self.stay)]
        let daemon = try Daemon(on: Loop(Timekeeper(ForwardClock())), flows: flows)
        daemon.sessions.expire(by: rules)
        try daemon.recover(from: store)
        return daemon
    }

    /// A daemon that restores its sessions, runs `body`, and stops cleanly.
    private func run(expiring rules: [ExpiryRule] = [], _ body: (Daemon) throws -> Void) throws {
        let store = try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 1_000)
        let daemon = try start(store, expiring: rules)
        try body(daemon)
        try daemon.end()
    }

    /// Lets 2 s pass, in which no session changes.
    private func idle(_ daemon: Daemon) throws {
        try #require(daemon.timekeeper.source as? ForwardClock).skip(.seconds(2))
        daemon.loop.schedule {}
        try daemon.loop.turn()
    }

    /// Changes the rows as if they had been saved `seconds` earlier, in another boot.
    private func pass(_ seconds: Int) throws {
        #expect(try folder.sql("UPDATE sessions SET checksum = NULL, extra = NULL, saved = saved - \(seconds)000000000") == "")
    }

    /// A milestone and a swing leave their timer armed, and the crash comes before the session's next change. On the way through
    /// `b`, the step makes a timer that it drops.
    @Test(
        arguments: [
            #"after: { "100s": { name: "timer", milestones: { "98s": "more" } } }"#,
            #"every: { "2s": { name: "timer", actions: { raise: "more" } } }"#,
        ], ["a", "b"])
    func `A timer whose firing enters its state again is restored once after a crash`(timer: String, target: String) throws {
        let store = MemoryStore()
        func start() throws -> Daemon {
            let text = """
                { id: "again", states: {
                  a: { \(timer), on: { more: "\(target)" } }, b: { after: { "50s": { name: "brief" } }, always: "a" } } }
                """
            let daemon = try Daemon(on: Loop(Timekeeper(ForwardClock())), flows: [.chart(text: text)])
            try daemon.recover(from: store)
            try daemon.loop.turn()
            return daemon
        }
        do {
            let daemon = try start()
            daemon.loop.schedule { _ = try? daemon.begin("room", flow: "again") }
            try daemon.loop.turn()
            try idle(daemon)
            try #require(daemon.sessions["room"]?.version == 1, "it has not fired")
            // A turn that ends while the writer is busy is handed over in a later one.
            let isCommitted = try eventually {
                daemon.loop.schedule {}
                try daemon.loop.turn()
                return daemon.persistence?.backlogBytes == 0
            }
            try #require(isCommitted, "it is not committed")
        }
        #expect(try start().sessions["room"]?.timers.map(\.plan.name) == ["timer"])
    }

    private func left(_ daemon: Daemon) throws -> [String: Int] {
        let machine = try #require(daemon.sessions["room"])
        let timers = machine.timers.map { ($0.plan.name, Int(($0.remaining?.wholeNanoseconds ?? -1) / 1_000_000_000)) }
        return Dictionary(uniqueKeysWithValues: timers)
    }

    private func begin(expiring rules: [ExpiryRule] = []) throws {
        try run(expiring: rules) { daemon in
            try daemon.begin("room", flow: "policies")
            let session = try #require(daemon.sessions.find("room"))
            session.machine.timers.first { $0.plan.name == "stopped" }?.pause()
            session.record(.paused, by: .none, from: .ui)
        }
    }

    @Test func `A timer's restart policy keeps, freezes or restarts its remaining time`() throws {
        try begin()
        try pass(40)
        try run { daemon in
            let left = try left(daemon)
            #expect((55...60).contains(left["keep"] ?? -1), "\(left)")
            #expect((95...100).contains(left["freeze"] ?? -1), "\(left)")
            #expect(left["restart"] == 99 || left["restart"] == 100, "\(left)")
            #expect((95...100).contains(left["stopped"] ?? -1), "one that was stopped stays stopped: \(left)")
            #expect((2...7).contains(left["swing"] ?? -1), "\(left)")
            #expect(daemon.sessions["room"]?.timers.first { $0.plan.name == "stopped" }?.isPaused == true)
        }
    }

    @Test func `A keep timer that became due while the daemon was down does not count as late`() throws {
        try begin()
        try pass(4_000)
        try run { daemon in
            daemon.loop.schedule {}
            try daemon.loop.turn()
            #expect(daemon.sessions["room"]?.stateName == "over")
            let lateness = daemon.timekeeper.lateness
            #expect(lateness.total >= 1 && lateness.maximum < .seconds(1_000), "\(lateness.maximum)")
        }
    }

    @Test func `A freeze timer has the time that remained at a clean stop`() throws {
        let rules = [ExpiryRule(flow: "policies", length: .seconds(200), action: .drop)]
        try begin(expiring: rules)
        try run(expiring: rules) { daemon in try idle(daemon) }
        try pass(40)
        try run(expiring: rules) { daemon in
            let left = try left(daemon)
            #expect((93...98).contains(left["freeze"] ?? -1), "\(left)")
            #expect((0...5).contains(left["swing"] ?? -1), "\(left)")
            #expect((53...58).contains(left["keep"] ?? -1), "\(left)")
            #expect((95...100).contains(left["restart"] ?? -1) && (95...100).contains(left["stopped"] ?? -1), "\(left)")
            let expiry = try #require(daemon.sessions.find("room")?.expiry).left
            #expect(expiry > .seconds(153) && expiry <= .seconds(158), "downtime counts for the expiry: \(expiry)")
        }
    }

    @Test func `A freeze timer has the time that remained when its shard was released`() throws {
        let store = MemoryStore()
        let daemon = try start(store)
        try daemon.begin("room", flow: "policies")
        try idle(daemon)
        let persistence = try #require(daemon.persistence)
        daemon.loop.schedule { persistence.release(0) }
        try daemon.loop.turn()
        #expect(daemon.sessions["room"] == nil)
        let isReleased = try eventually {
            daemon.loop.schedule {}
            try daemon.loop.turn()
            return persistence.shards[0] == nil
        }
        #expect(isReleased)
        let left = try left(start(store.successor()))
        #expect((93...98).contains(left["freeze"] ?? -1), "\(left)")
    }

    /// The number of turns that a clean stop writes after `body`.
    private func turnsOfStop(_ body: (Daemon) throws -> Void) throws -> UInt64 {
        let flows: [FlowKind] = [.flow(Policies.self), .flow(Turns.self)]
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: flows)
        try daemon.recover(from: MemoryStore())
        try body(daemon)
        let journal = try #require(daemon.persistence?.journal)
        journal.submitTurn()
        let before = journal.handedOver
        try daemon.end()
        return journal.handedOver - before
    }

    @Test func `A clean stop writes sessions with running freeze timers, and no others`() throws {
        let others = try turnsOfStop { daemon in
            try daemon.begin("turns", flow: "turns")
            try daemon.begin("frozen", flow: "policies")
            daemon.sessions["frozen"]?.clock.freeze()
            try daemon.begin("paused", flow: "policies")
            for timer in daemon.sessions["paused"]?.timers ?? [] where timer.plan.restart == .freeze { timer.pause() }
            try daemon.begin("over", flow: "policies")
            try daemon.sessions["over"]?.force("over", data: .object([]))
        }
        #expect(others == 0)
        let running = try turnsOfStop { daemon in try daemon.begin("running", flow: "policies") }
        #expect(running == 1)
    }

    @Test func `A clean stop writes very many running freeze timers in several turns`() throws {
        let turns = try turnsOfStop { daemon in
            for number in 0..<5_000 {
                try daemon.begin(String(repeating: "r", count: 200) + "\(number)", flow: "policies")
            }
        }
        #expect(turns > 1)
    }

    @Test func `An overdue timer fires at once after a start, if its policy keeps the deadline`() throws {
        try begin()
        try pass(1_000)
        try run { daemon in
            try daemon.loop.turn()
            #expect(daemon.sessions["room"]?.stateName == "over")
            let lines = daemon.sessions.find("room")?.history(10) ?? []
            #expect(lines.map(\.kind) == [.taken, .paused, .begun])
            #expect(lines.first?.cause.timer == 0, "it was the one that keeps its deadline")
        }
        try run { daemon in #expect(daemon.sessions["room"]?.stateName == "over") }
    }

    @Test func `A remaining time from a client holds for each restart policy, in NEW and in FORCE`() throws {
        let daemon = try Daemon(on: try Loop(Timekeeper(VirtualClock())), flows: [.flow(Policies.self)])
        let policies = ["keep", "freeze", "restart"]
        let data = { (seconds: Int) in
            let timers = (policies + ["stopped", "swing"]).map { "\"\($0)\":{\"remaining_ms\":\(seconds)000}" }
            return try JSON(parsing: "{\(timers.joined(separator: ","))}")
        }
        try daemon.begin("room", flow: "policies", .object([.init("state", .string("waiting")), .init("data", data(4))]))
        var left = try left(daemon)
        for policy in policies { #expect(left[policy] == 4, "\(policy), in NEW") }
        try daemon.sessions["room"]?.force("waiting", data: data(3))
        left = try self.left(daemon)
        for policy in policies { #expect(left[policy] == 3, "\(policy), in FORCE") }
    }

    @Test func `Timers are unaffected by downtime while their session's clock is frozen`() throws {
        try begin()
        try run { daemon in
            let session = try #require(daemon.sessions.find("room"))
            session.machine.clock.freeze()
            session.record(.paused, by: .none, from: .ui)
        }
        try pass(1_000)
        try run { daemon in
            #expect(daemon.sessions["room"]?.isFrozen == true)
            let left = try left(daemon)
            #expect((95...100).contains(left["keep"] ?? -1) && (95...100).contains(left["freeze"] ?? -1), "\(left)")
        }
    }

    @Test func `Downtime counts for the time in a paused session's state, and not for its timers`() throws {
        try run { daemon in
            try daemon.begin("room", flow: "stay")
            let session = try #require(daemon.sessions.find("room"))
            session.machine.clock.freeze()
            session.record(.paused, by: .none, from: .ui)
        }
        try pass(40)
        try run { daemon in
            let machine = try #require(daemon.sessions["room"])
            try machine.send(named: "ask", payload: nil, from: .ui)
            let elapsed = try machine.shownData()["ms"]?.integer ?? -1
            #expect((40_000...45_000).contains(elapsed), "\(elapsed)")
            let left = try left(daemon)
            #expect((95...100).contains(left["end"] ?? -1), "\(left)")
        }
    }
}

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `Timers in a database over a downtime` {
    private static let flow = """
        { id: "policies", initial: "on", states: { over: {}, on: { after: {
            "200s": { name: "keep", target: "over" }, "201s": { name: "freeze", restart: "freeze", target: "over" },
            "202s": { name: "again", restart: "restart", target: "over" } } } } }
        """

    private func left(_ daemon: RunningDaemon) throws -> [String: Int] {
        let timers = try daemon.ask("TIMERS room").list.map { ($0["name"]?.text ?? "", $0["remaining_ms"]?.integer ?? -1) }
        return Dictionary(uniqueKeysWithValues: timers)
    }

    @Test func `A timer in a database follows its restart policy, and fires at once if it is overdue`()
        throws
    {
        let store = try DaemonStore(.database)
        let file = store.folder.path + "/policies.json5"
        try Self.flow.write(toFile: file, atomically: true, encoding: .utf8)
        let words = ["--flows", file]
        var daemon = try store.start(words)
        #expect(try daemon.ask("NEW room policies").text == "on")
        #expect(try eventually { try store.query("SELECT count(*) FROM sessions WHERE name = 'room'") == "1" })
        // A clean stop would save the session anew.
        try store.end(daemon, isKilled: true)
        // As if 100 s had passed.
        _ = try store.query("UPDATE sessions SET checksum = NULL, saved = saved - 100000000000")
        daemon = try store.start(words)
        let after = try left(daemon)
        #expect((80_000...100_000).contains(after["keep"] ?? -1), "\(after)")
        #expect((181_000...201_000).contains(after["freeze"] ?? -1), "\(after)")
        #expect((182_000...202_000).contains(after["again"] ?? -1), "\(after)")
        try store.end(daemon, isKilled: true)
        _ = try store.query("UPDATE sessions SET checksum = NULL, saved = saved - 300000000000")
        daemon = try store.start(words)
        #expect(try eventually { try daemon.ask("STATE room")["state"]?.text == "over" })
        let lines = try daemon.ask("HISTORY room").list
        #expect(lines.map { $0["what"]?.text } == ["taken", "begun"])
        #expect(lines.first?["timer"]?.text == "keep", "\(lines)")
    }
}

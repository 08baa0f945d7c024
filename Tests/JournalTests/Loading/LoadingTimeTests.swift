// Reading a store takes time, and that time counts: deadlines are instants.

import GameFlow
import Glibc
import MemoryStore
import Posix
import Store
import TestSupport
import Testing
import Timers
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Sessions

/// One state with a countdown and a pendulum.
private struct Clocks: TypedFlow {
    enum State: FlowState {
        case waiting(keep: Countdown, swing: Pendulum)
        case over
    }

    enum Event: Sendable { case isUp, swings }

    static let name = "clocks"
    static let states = ["waiting", "over"]
    static let events = Catalogue<Event>(.timer(.isUp), .timer(.swings))
    static let keep = TimerPlan.countdown("keep", .seconds(500), restart: .keep, message: Event.isUp)
    static let swing = TimerPlan.pendulum("swing", every: .seconds(400), restart: .keep, message: Event.swings)
    static let timers = [keep, swing]

    let clock: FlowClock

    func initialState() throws -> State {
        .waiting(keep: try Countdown(Self.keep, on: clock), swing: try Pendulum(Self.swing, on: clock))
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition { { .over } }
}

@Suite struct `Loading time` {
    private static let loadingSeconds = 3
    /// How late a busy machine may make a deadline, by stopping between two readings of the clock.
    private static let busy = Duration.seconds(2)

    private func daemon(_ store: MemoryStore? = nil) throws -> Daemon {
        let daemon = try Daemon(on: Loop(Timekeeper(SystemClock())), flows: [.flow(Clocks.self)])
        if let store { try daemon.recover(from: store) }
        return daemon
    }

    /// A store with a session, and when its timers fire.
    private func stored() throws -> (store: MemoryStore, deadlines: [Instant]) {
        let store = MemoryStore()
        let daemon = try daemon(store)
        daemon.loop.schedule { _ = try? daemon.begin("room", flow: "clocks") }
        try daemon.loop.turn()
        let deadlines = try deadlines(in: daemon)
        try daemon.end()
        return (store.successor(), deadlines)
    }

    private func deadlines(in daemon: Daemon) throws -> [Instant] {
        let timers = try #require(daemon.sessions["room"]).timers
        #expect(timers.count == 2)
        return try timers.map { try #require($0.deadline) }
    }

    private func expect(_ deadlines: [Instant], toBe former: [Instant]) {
        for (deadline, former) in zip(deadlines, former) {
            let late = former.duration(to: deadline)
            #expect((.zero...Self.busy).contains(late), "a deadline has moved by \(late)")
        }
    }

    @Test func `A slow start moves no deadline`() throws {
        let (store, former) = try stored()
        store.takesSeconds = UInt32(Self.loadingSeconds)
        let daemon = try daemon(store)
        expect(try deadlines(in: daemon), toBe: former)
        try daemon.end()
    }

    @Test func `A slow load of a shard moves no deadline`() throws {
        let (store, former) = try stored()
        let moment = StoredTime(bootID: "", time: TurnClock.now())
        let rows = SessionRows()
        try store.load(sessions: { rows.append($0) }, history: { _ in }, log: { _, _ in })
        rows.readImages(until: moment)
        let load = ShardLoad(Shard(0, epoch: 1), at: moment) {}
        sleep(UInt32(Self.loadingSeconds))
        let daemon = try daemon()
        daemon.loop.timekeeper.beginTurn()
        let restorer = ShardRestorer(load, in: daemon.sessions, sessionHistory: 10) { _ in }
        restorer.restore(rows)
        #expect(restorer.restored == 1)
        expect(try deadlines(in: daemon), toBe: former)
    }
}

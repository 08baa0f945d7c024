// States, refusals, flows and watchers that outlive their session.

import Foundation
import GameFlow
import Slowness
import Testing
import Timers

/// A flow with hidden timers: in an indirect case, in an array, in an object.
private struct Nest: TypedFlow {
    final class Shelf: Codable {
        let timers: [Countdown]
        init(_ timers: [Countdown]) { self.timers = timers }
    }

    enum State: FlowState {
        case empty
        case plain(Countdown)
        indirect case behind(Int, Countdown)
        case many([Countdown])
        case inObject(Shelf)
    }

    enum Event: Sendable, Equatable { case plain, behind, many, object, stay, again, drop, leave, ring, add, fill(count: Int) }

    static let name = "nest"
    static let events = Catalogue<Event>(
        .plain(.plain), .plain(.behind), .plain(.many), .plain(.object), .plain(.stay), .plain(.again), .plain(.drop),
        .plain(.leave), .timer(.ring), .plain(.add), .integer(Event.fill, samples: [9]))
    static let bell = TimerPlan.countdown("bell", .seconds(10), message: Event.ring)
    static let timers = [bell]

    /// Its timers intentionally have no labels.
    static func configure(_ definition: inout FlowDefinition<Nest>) { definition.isChecked = false }

    let clock: FlowClock

    func initialState() -> State { .empty }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (_, .plain): { .plain(try Countdown(Self.bell, on: clock)) }
        case (_, .behind): { .behind(0, try Countdown(Self.bell, on: clock)) }
        case (_, .many): { .many([try Countdown(Self.bell, on: clock), try Countdown(Self.bell, on: clock)]) }
        case (_, .fill(let count)): { .many(try (0..<count).map { _ in try Countdown(Self.bell, on: clock) }) }
        case (_, .object): { .inObject(Shelf([try Countdown(Self.bell, on: clock)])) }
        case (.behind(let count, let bell), .stay): { .behind(count + 1, bell) }
        case (.many(let bells), .stay): { .many(bells.reversed()) }
        case (.many(let bells), .add): { .many(bells + [try Countdown(Self.bell, on: clock)]) }
        case (.many(let bells), .drop): { .many(Array(bells.dropLast())) }
        case (.many(let bells), .again): { .many(bells.map { $0.again() }) }
        case (_, .stay): { state }
        case (_, .leave), (_, .ring): { .empty }
        default: throw .transitionNotFound
        }
    }
}

private func nest(_ configure: (inout FlowDefinition<Nest>) -> Void = { _ in }) throws -> FlowUnderTest<Nest> {
    try FlowUnderTest(Nest.self, configure: configure)
}

@Suite struct `A state that outlives its session` {
    @Test(arguments: [Nest.Event.plain, .behind, .many, .object])
    fileprivate func `A kept state has no timers once its session has left it`(event: Nest.Event) throws {
        let flow = try nest()
        try flow.send(event)
        let kept = (state: flow.machine.state, timers: flow.machine.timers)
        try flow.send(.leave)
        #expect(flow.machine.timers.isEmpty && flow.timekeeper.armedCount == 0)
        #expect(flow.advance(.seconds(60)) == 0)
        #expect(flow.machine.version == 2)
        #expect(kept.timers.allSatisfy { $0.remaining == nil })
        withExtendedLifetime(kept) {}
    }

    @Test func `The new timers of a step that waits for a hook are not its session's yet`() throws {
        let gate = WorkGate()
        let flow = try nest { $0.beforeAsync { _, change in if change.event == .add { _ = await gate.pass() } } }
        try flow.send(.many)
        flow.runUntilIdle()
        let own = flow.machine.timers.map(\.generation)
        #expect(try flow.send(.add) == .waiting)
        flow.runUntilIdle()
        #expect(flow.machine.timers.count == 3 && flow.machine.ownTimers.map(\.generation) == own)
        gate.open()
        flow.runUntilIdle()
        #expect(flow.machine.ownTimers.count == 3 && flow.machine.version == 2)
    }

    @Test(arguments: [Nest.Event.behind, .many, .object])
    fileprivate func `A kept state does not disturb the timers of the state after it`(event: Nest.Event) throws {
        let flow = try nest()
        try flow.send(.plain)
        let kept = flow.machine.state
        try flow.send(event)
        flow.advance(.seconds(4))
        try flow.send(.stay)
        #expect(flow.remaining("bell") == .seconds(6), "a timer that is carried on is not stopped")
        #expect(flow.advance(.seconds(5)) == 0, "the kept one does not fire")
        #expect(flow.advance(.seconds(1)) >= 1)
        #expect(flow.state == "empty")
        withExtendedLifetime(kept) {}
    }

    @Test func `A kept state's timer stops when a step within the state replaces it`() throws {
        let flow = try nest()
        try flow.send(.plain)
        let kept = flow.machine.state
        flow.advance(.seconds(5))
        try flow.send(.plain)
        #expect(flow.machine.timers.count == 1)
        #expect(flow.advance(.seconds(9)) == 0)
        #expect(flow.advance(.seconds(1)) == 1)
        withExtendedLifetime(kept) {}
    }

    @Test func `A timer that a step drops from many is stopped, even if it is kept, and the others run on`() throws {
        let flow = try nest()
        try flow.send(.fill(count: 50))
        let kept = flow.machine.timers
        flow.advance(.seconds(1))
        try flow.send(.drop)
        try flow.send(.add)
        #expect(kept.map { $0.remaining == nil } == Array(repeating: false, count: 49) + [true])
        #expect(flow.machine.timers.count == 50 && flow.timekeeper.armedCount == 50)
        #expect(flow.advance(.seconds(9)) >= 1 && flow.state == "empty")
        withExtendedLifetime(kept) {}
    }

    /// Four times the timers may take ten times the processor time; a search for each of them takes sixteen times as long.
    @Test func `A step takes processor time in proportion to the timers of its state`() throws {
        let (few, many) = (try nanosecondsOfStep(200), try nanosecondsOfStep(800))
        #expect(many < few * 10, "with 200 timers it takes \(few) ns, with 800 \(many) ns")
    }

    private func nanosecondsOfStep(_ timers: Int) throws -> Int {
        let flow = try nest()
        try flow.send(.fill(count: timers))
        return try (0..<3).map { _ in try ThreadTime.taken { try flow.send(.add) } }.min() ?? 0
    }

    @Test func `A timer that was dropped by a step within its state never fires`() throws {
        let flow = try nest()
        try flow.send(.many)
        guard case .many(let bells) = flow.machine.state else { return #expect(Bool(false)) }
        try flow.send(.drop)
        let version = flow.machine.version
        bells[0].pause()
        flow.advance(.seconds(10))
        #expect(flow.machine.version == version && flow.state == "many")
        #expect(flow.machine.timers.count == 1 && bells[1].remaining == nil)
    }

    @Test func `A state that a hook has kept and vetoed has no timers`() throws {
        nonisolated(unsafe) var kept: [Nest.State] = []
        struct No: Error {}
        let flow = try nest { definition in
            definition.before { _, _, state in
                kept.append(state)
                if kept.count == 2 { throw No() }
            }
        }
        try flow.send(.plain)
        flow.advance(.seconds(5))
        #expect(throws: Refusal.self) { try flow.send(.behind) }
        #expect(flow.machine.timers.count == 1)
        #expect(flow.advance(.seconds(5)) == 1 && flow.state == "empty")
    }

    @Test func `A kept state has no timers once the session has ended`() throws {
        let keeper = Timekeeper(VirtualClock())
        var machine: Machine<Nest>? = try Machine(on: keeper)
        try machine?.send(.many)
        let (state, flow) = (machine?.state, machine?.flow)
        weak let gone = machine
        machine = nil
        #expect(gone == nil && keeper.armedCount == 0)
        #expect(flow?.clock.isAlive == false)
        guard case .many(let bells) = state else { return #expect(Bool(false)) }
        #expect(bells.allSatisfy { $0.remaining == nil && $0.deadline == nil })
    }
}

@Suite struct `A refusal that outlives its session` {
    private func refusal(_ machine: Machine<Nest>) throws -> InvalidTransition {
        do {
            try machine.send(.ring, from: .timer)
            try machine.send(.drop)
        } catch Refusal.transitionNotFound(let what) {
            return what
        }
        throw FlowError.refused("it was taken")
    }

    private static let list = "plain, behind, many, object, stay, leave, fill"

    @Test func `A kept refusal lists the accepted events only while the session's state is unchanged`() throws {
        let flow = try nest()
        let refusal = try refusal(flow.machine)
        #expect(refusal.description == "'drop' is not valid in 'empty'; it accepts \(Self.list)")
        #expect(refusal.accepted?.joined(separator: ", ") == Self.list)
        try flow.send(.plain)
        #expect(refusal.description == "'drop' is not valid in 'empty'")
        #expect(refusal.accepted == nil && refusal.state == "empty" && refusal.event == "drop")
    }

    @Test func `A kept refusal retains neither the session nor its timers`() throws {
        let keeper = Timekeeper(VirtualClock())
        var machine: Machine<Nest>? = try Machine(on: keeper)
        let refusal = try refusal(#require(machine))
        try machine?.send(.plain)
        weak let gone = machine
        machine = nil
        #expect(gone == nil && keeper.armedCount == 0)
        #expect(refusal.description == "'drop' is not valid in 'empty'")
        let others = try (1...50).map { _ in try Machine<Nest>(on: keeper) }
        #expect(refusal.accepted == nil, "another session is not asked in its place")
        withExtendedLifetime(others) {}
    }

    @Test func `A kept refusal does not read the session from another thread`() async throws {
        let flow = try nest()
        let refusal = try refusal(flow.machine)
        let sentence = await withCheckedContinuation { done in
            Thread { done.resume(returning: refusal.description) }.start()
        }
        #expect(sentence == "'drop' is not valid in 'empty'")
        withExtendedLifetime(flow) {}
    }
}

@Suite struct `A watcher` {
    private final class Counter: MachineWatcher {
        var notes = 0
        override func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) { notes += 1 }
    }

    @Test func `A released watcher is no longer called, and its replacement is`() throws {
        let kind = TypedFlowKind<Nest>()
        var first: Counter? = Counter()
        kind.watch(first)
        let machine = try Machine(on: Timekeeper(VirtualClock()), kind: kind)
        try machine.send(.plain)
        #expect(first?.notes == 1)
        first = nil
        try machine.send(.stay)
        var old: Counter? = Counter()
        kind.watch(old)
        let second = Counter()
        kind.watch(second)
        old = nil
        try machine.send(.leave)
        #expect(second.notes == 1 && old == nil)
        kind.watch(nil)
    }
}

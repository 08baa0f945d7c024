// Asynchronous hooks: steps that wait, and events that arrive meanwhile.

import GameFlow
import Synchronization
import Testing
import Timers

@Suite struct `An asynchronous hook` {
    private let gate = WorkGate()

    private func house() throws -> FlowUnderTest<House> {
        let gate = gate
        let house = try FlowUnderTest({ House(clock: $0) }) { setup in
            setup.beforeAsync { _, change in
                if await gate.pass() == "no" { throw House.Broken() }
                _ = change
            }
        }
        return house
    }

    @Test func `An asynchronous hook delays its step, and events that arrive meanwhile are queued`() throws {
        let house = try house()
        #expect(try house.send(.climb) == .waiting)
        house.runUntilIdle()
        #expect(try house.send(.leave) == .queued)
        #expect(house.state == "hall")
        gate.open()
        house.runUntilIdle()
        #expect(house.state == "attic")
        gate.open()
        house.runUntilIdle()
        #expect(house.state == "hall")
    }

    @Test func `An asynchronous hook of some steps delays no others, and has the names of the session and the step`() throws {
        let gate = gate
        let house = try FlowUnderTest(named: "home", { House(clock: $0) }) { setup in
            setup.beforeAsync { from, event, to in
                guard case (.hall, .climb, .attic) = (from, event, to) else { return nil }
                return { session, change in if await gate.pass() != "\(session) \(change.to)" { throw House.Broken() } }
            }
        }
        #expect(try house.send(.climb) == .waiting)
        house.runUntilIdle()
        gate.open("home attic")
        house.runUntilIdle()
        #expect(house.state == "attic")
        #expect(try house.send(.leave) == .taken)
    }

    @Test func `The veto of an asynchronous hook changes nothing`() throws {
        let house = try house()
        let before = Snapshot(house.machine)
        try house.send(.cook)
        house.runUntilIdle()
        gate.open("no")
        house.runUntilIdle()
        #expect(house.state == "hall" && house.machine.version == 0 && house.timekeeper.armedCount == 0)
        #expect(Snapshot(house.machine).data == before.data)
    }

    @Test func `The event of a timer that fires while a hook runs is withdrawn if the step leaves its state, and recorded`()
        throws
    {
        let house = try house()
        try house.send(.cook)
        house.runUntilIdle()
        gate.open()
        house.runUntilIdle()
        #expect(house.state == "kitchen")
        house.advance(.seconds(9))
        // The same state again, where the old timer's event would be as valid as the new one's.
        try house.send(.cookAnew)
        house.runUntilIdle()
        house.advance(.seconds(2))
        #expect(house.machine.version == 1)
        gate.open()
        house.runUntilIdle()
        #expect(house.state == "kitchen" && house.machine.version == 2)
        #expect(gate.count == 0, "the withdrawn event has no hook to wait for")
        let sentence = "its timer ended before the hook decided, so the event was withdrawn and has changed nothing"
        #expect(
            house.history.suffix(4).map(\.description) == [
                "9s waiting cookAnew: kitchen", "10s waiting timeIsUp: kitchen", "11s taken cookAnew: kitchen",
                "11s refused timeIsUp: kitchen (\(sentence))",
            ])
    }

    @Test func `A step is saved without the event of a timer that it ends: a restart would handle it`() throws {
        let house = try house()
        try house.send(.cook)
        house.runUntilIdle()
        gate.open()
        house.runUntilIdle()
        house.advance(.seconds(9))
        try house.send(.cookAnew)
        house.runUntilIdle()
        house.advance(.seconds(2))
        #expect(house.machine.waitingEvents.map(\.event) == ["cookAnew", "timeIsUp"])
        var saved: [String]?
        let observation = house.machine.observe { _ in saved = house.machine.waitingEvents.map(\.event) }
        gate.open()
        house.runUntilIdle()
        #expect(house.machine.version == 2 && saved == [])
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: [House.Event.climb, .cook])
    func `A state that is forced while an event waits for a hook has its timers`(event: House.Event) throws {
        let house = try house()
        try house.send(event)
        house.runUntilIdle()
        house.advance(.seconds(3))
        #expect(throws: Refusal.self) { try house.machine.force("cellar", data: .object([])) }
        #expect(house.machine.waitingEvents.count == 1, "a refused FORCE does not end the wait")
        try house.machine.force("kitchen", data: .object([]))
        #expect(house.remaining("kitchen") == .seconds(10) && house.timekeeper.armedCount == 1)
        #expect(house.advance(.seconds(10)) == 1)
        for _ in 1...2 { gate.open() }
        house.runUntilIdle()
        #expect(house.state == "hall" && house.machine.version == 2)
    }

    @Test func `An event that a sender sends when FORCE withdraws its event is handled in the forced state`() throws {
        let house = try house()
        let machine = house.machine
        machine.attach(EventReceipt { _ in _ = try? machine.send(.climb, from: .ui) }, toEventWith: try house.send(.climb))
        house.runUntilIdle()
        try machine.force("kitchen", data: .object([]))
        #expect(house.state == "kitchen" && machine.waitingEvents.map(\.event) == ["climb"])
        house.runUntilIdle()
        for _ in 1...2 { gate.open() }
        house.runUntilIdle()
        #expect(house.state == "attic" && machine.waitingEvents.isEmpty)
    }

    @Test(arguments: [House.Event.fail, .ring])
    func `An event that a sender sends when its own is decided queues behind those that wait`(own: House.Event) throws {
        let house = try house()
        let machine = house.machine
        try house.send(.cook)
        house.runUntilIdle()
        var outcome: Outcome?
        let receipt = EventReceipt { _ in outcome = try? machine.send(.leave, from: .ui) }
        machine.attach(receipt, toEventWith: try house.send(own))
        #expect(try house.send(.climb) == .queued)
        gate.open()
        house.runUntilIdle()
        #expect(outcome == .queued && house.state == "kitchen")
        #expect(machine.waitingEvents.map(\.event).filter { $0 != "ring" } == ["climb", "leave"])
        for _ in 1...3 {
            gate.open()
            house.runUntilIdle()
        }
        #expect(house.history.filter { $0.to != $0.from }.suffix(3).map(\.to) == ["kitchen", "attic", "hall"])
    }

    @Test(arguments: ["no", "yes"])
    func `A step that fails does not undo what a sender has changed when its own event was decided`(word: String) throws {
        let house = try house()
        try house.send(.cook)
        house.runUntilIdle()
        gate.open()
        house.runUntilIdle()
        let machine = house.machine
        let receipt = EventReceipt { _ in machine.clock.freeze() }
        machine.attach(receipt, toEventWith: try house.send(.cookAnew))
        house.runUntilIdle()
        house.advance(.seconds(3))
        gate.open(word)
        house.runUntilIdle()
        #expect(machine.isFrozen && house.remaining("kitchen") == .seconds(7))
        house.advance(.seconds(2))
        #expect(throws: Refusal.self) { try house.send(.fail) }
        #expect(machine.isFrozen && house.remaining("kitchen") == .seconds(7))
    }

    @Test func `A countdown ends behind a hook, however many events wait there`() throws {
        let house = try house()
        try house.send(.cook)
        house.runUntilIdle()
        gate.open()
        house.runUntilIdle()
        #expect(try house.send(.climb) == .waiting)
        house.runUntilIdle()
        for _ in 1...1_000 { try house.send(.fail) }
        let refusal = #expect(throws: Refusal.self) { try house.send(.fail) }
        #expect(refusal?.kind == .tooMany)
        #expect(house.advance(.seconds(10)) == 1)
        #expect(house.machine.waitingEvents.last?.event == "timeIsUp")
        gate.open("no")
        house.runUntilIdle()
        gate.open()
        house.runUntilIdle()
        #expect(house.state == "hall" && house.machine.waitingEvents.isEmpty)
    }

    @Test func `A milestone that finds the queue behind a hook full is recorded as refused`() throws {
        let gate = gate
        let room = try FlowUnderTest(HintRoom.self) { $0.beforeAsync { _, _ in _ = await gate.pass() } }
        #expect(try room.send(.hint) == .waiting)
        room.runUntilIdle()
        for _ in 1...1_000 { try room.send(.hint) }
        room.advance(.seconds(10))
        let last = try #require(room.history.last)
        #expect(last.event == "nearlyOver" && last.kind == .refused && last.refusal != nil, "\(last)")
    }

    @Test func `A waiting hook does not retain a session that is released`() throws {
        weak var machine: Machine<House>?
        do {
            let house = try house()
            machine = house.machine
            try house.send(.climb)
            house.runUntilIdle()
        }
        #expect(machine == nil)
        gate.open()
    }
}

import GameFlow
import Testing
import Timers

@testable import Statecharts

/// A chart without expressions, made by hand: a lamp that goes out by itself.
private func lamp() throws -> FlowKind {
    var root = ChartStateNode(key: "lamp", path: "", kind: .compound, parent: nil, children: [1, 2], initial: 0)
    root.transitions = []
    var off = ChartStateNode(key: "off", path: "off", kind: .atomic, parent: 0)
    off.transitions = [1]
    var on = ChartStateNode(key: "on", path: "on", kind: .atomic, parent: 0)
    on.transitions = [2, 3]
    on.timers = [0]
    return try .chart(
        ChartDefinition(
            name: "lamp", states: [root, off, on],
            transitions: [
                ChartTransition(source: 0, trigger: .initial, targets: [1]),
                ChartTransition(source: 1, trigger: .event(.exact("press")), targets: [2]),
                ChartTransition(source: 2, trigger: .event(.exact("press")), targets: [2]),
                ChartTransition(source: 2, trigger: .timer(0), targets: [1]),
            ],
            timers: [ChartTimer(name: "glow", kind: .countdown, state: 2, length: .fixed(.seconds(10)))],
            events: [ChartEventEntry(name: "press", sources: .clients)]))
}

@Suite struct `A flat chart` {
    let clock = VirtualClock()
    let timekeeper: Timekeeper
    let machine: AnyMachine

    init() throws {
        timekeeper = Timekeeper(clock)
        machine = try lamp().begin(on: timekeeper)
    }

    private func advance(_ duration: Duration) {
        timekeeper.advance(clock, by: duration) { timekeeper.fireDue() }
    }

    @Test func `A state's timer triggers its transition when it expires`() throws {
        #expect(machine.stateName == "off")
        try machine.send(named: "press", from: .ui)
        #expect(machine.stateName == "on")
        advance(.seconds(9))
        #expect(machine.stateName == "on")
        advance(.seconds(1))
        #expect(machine.stateName == "off")
    }

    @Test func `Reentering a state restarts its timer`() throws {
        try machine.send(named: "press", from: .ui)
        advance(.seconds(9))
        try machine.send(named: "press", from: .ui)
        advance(.seconds(9))
        #expect(machine.stateName == "on")
        #expect(machine.timers.map(\.remaining) == [.seconds(1)])
    }

    @Test func `A saved state is restored with its timer's remaining time`() throws {
        try machine.send(named: "press", from: .ui)
        advance(.seconds(4))
        let timer = TimerImage(name: "glow", kind: .countdown, left: .seconds(6), isPaused: false)
        let image = SessionImage(state: machine.stateName, data: try machine.stateData(), timers: [timer], isSaved: true)
        let back = try lamp().begin(on: timekeeper, at: image)
        #expect(back.stateName == "on")
        #expect(back.timers.map(\.remaining) == [.seconds(6)])
    }

    @Test func `An unknown event is refused, and accepted events include the state's timer`() throws {
        try machine.send(named: "press", from: .ui)
        #expect(throws: Refusal.self) { try machine.send(named: "pres", from: .ui) }
        #expect(machine.acceptedEvents.map(\.name) == ["press", "after.glow"])
    }
}

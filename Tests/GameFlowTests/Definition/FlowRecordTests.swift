// Names of a flow's former definitions, which the history refers to.

import Testing
import Timers

@testable import GameFlow

@Suite struct `The record of a former definition` {
    private func kind() -> FlowKind { FlowKind.flow(Door.self) }

    @Test func `A former definition's record shares its names with a definition that has the same names`() {
        let (old, new) = (kind(), kind())
        let record = old.record(sharing: [new])
        #expect(record.states.address == new.states.address && record.events.address == new.events.address)
        #expect(record.timerList.names.address == new.timerList.names.address)
        #expect(old.record().states.address == old.states.address)
    }

    @Test func `A former definition's record shares its names with an older record first`() {
        let first = kind().record(sharing: [kind()])
        let second = kind().record(sharing: [first, kind()])
        #expect(second.states.address == first.states.address && second.events.address == first.events.address)
    }

    @Test func `A former definition's record names states, events and timers by index`() {
        let old = kind()
        let further = old.index(ofState: "further")
        let record = old.record(sharing: [kind()])
        #expect((0...further).map(record.stateName) == ["shut", "open", "further"])
        #expect(record.eventName(at: 0) == "push" && record.timerName(at: 0) == "closing" && record.timerName(at: 1) == nil)
        #expect(record.index(ofEvent: "over") == 1 && record.index(ofEvent: "pull") == nil)
    }

    @Test func `A former definition's record has the index of each of its states, however many they are`() {
        let old = kind()
        let names = (0..<40).map { "a further state, number \($0)" }
        let indices = names.map(old.index(ofState:))
        let record = old.record()
        #expect(record.index(ofState: "another one") == 42)
        #expect(names.map(record.index(ofState:)) == indices && indices.first == 2)
        #expect(record.index(ofState: "another one") == 42)
    }
}

extension Array {
    fileprivate var address: UnsafePointer<Element>? { withUnsafeBufferPointer(\.baseAddress) }
}

private struct Door: TypedFlow {
    enum State: FlowState { case shut, open(closing: Countdown) }
    enum Event: Sendable { case push, over }

    static let events = Catalogue<Event>(.plain(.push), .timer(.over))
    static let closing = TimerPlan.countdown("closing", .seconds(1), message: Event.over)
    static let timers = [closing]
    let clock: FlowClock

    func initialState() -> State { .shut }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.shut, .push): { .open(closing: try Countdown(Self.closing, on: clock)) }
        case (.open, .over): { .shut }
        case (.shut, .over), (.open, .push): throw .transitionNotFound
        }
    }
}

// The flight mark: a shared word that names the session being handled.

import GameFlow
import Synchronization
import Testing
import Timers

@Suite struct `The flight mark` {
    /// A flow that records the flight mark whenever its code runs.
    private struct Witness: TypedFlow {
        enum State: FlowState { case here(wait: Countdown), there }
        enum Event: Sendable { case go, back }

        static let name = "witness"
        static let states = ["here", "there"]
        static let events = Catalogue<Event>(.plain(.go), .timer(.back))
        static let wait = TimerPlan.countdown("wait", .seconds(1), message: Event.back)
        static let timers = [wait]

        static nonisolated(unsafe) let word = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        static nonisolated(unsafe) var seen: [FlightMark?] = []

        let clock: FlowClock

        static func look() { seen.append(FlightMark(word: word.pointee)) }

        func initialState() throws -> State { .here(wait: try Countdown(Self.wait, on: clock)) }

        func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
            Self.look()
            switch (state, event) {
            case (.here, _): return { .there }
            case (.there, _): throw .transitionNotFound
            }
        }

        func isFinal(_ state: State) -> Bool {
            Self.look()
            return false
        }
    }

    private func seen(_ body: () throws -> Void) rethrows -> [FlightMark?] {
        Witness.seen = []
        try body()
        #expect(Witness.word.pointee == 0, "the mark is cleared")
        return Witness.seen
    }

    @Test func `The flight mark is set exactly while a flow's code runs`() throws {
        let clock = VirtualClock()
        let timekeeper = Timekeeper(clock)
        let setup = TypedFlowKind<Witness>()
        Witness.word.pointee = 0
        setup.flight = FlightRecorder(SharedWord(at: Witness.word))
        let machine = try Machine(on: timekeeper, kind: setup)
        machine.tag = 7
        machine.stamp = 9
        let mark = { (activity: FlightMark.Activity, number: UInt16) in FlightMark(activity, number, of: 7, stamp: 9) }
        #expect(seen { _ = machine.isFinal } == [mark(.read, FlightMark.none)])
        #expect(seen { _ = timekeeper.advance(clock, by: .seconds(1)) } == [mark(.timer, 0)])
        #expect(seen { _ = try? machine.send(named: "go", from: .ui) } == [mark(.event, 0)], "refused events set it too")
        #expect(seen { _ = machine.acceptedMask }.allSatisfy { $0 == mark(.read, FlightMark.none) })
        // An outer mark is kept, and is restored after an inner one.
        let outer = FlightMark(.command, 5, of: 7)
        Witness.word.pointee = outer.word
        Witness.seen = []
        _ = machine.isFinal
        _ = try? machine.send(at: 0, from: .ui)
        #expect(Witness.seen == [outer, mark(.event, 0)])
        #expect(Witness.word.pointee == outer.word)
        Witness.word.pointee = 0
    }

    @Test func `A flight mark decodes to the values that it was made of`() {
        for activity in FlightMark.Activity.allCases {
            let mark = FlightMark(activity, 0xFEDC, of: 0x89AB_CDEF, stamp: 0x12)
            #expect(mark.activity == activity && mark.number == 0xFEDC && mark.slot == 0x89AB_CDEF && mark.stamp == 0x12)
            #expect(FlightMark(word: mark.word) == mark)
        }
        #expect(FlightMark(word: 0) == nil)
        #expect(FlightMark(word: 0xFF00) == nil)
    }
}

// The escape room in virtual time, in the test's process.

import GameDaemon
import Testing

@testable import venue

@Suite struct `The escape room` {
    private func room(minutes: Int = 60, hints: Int = 3) throws -> FlowUnderTest<EscapeRoom> {
        try FlowUnderTest(EscapeRoom.self, context: ["minutes": .integer(minutes), "hints": .integer(hints)])
    }

    @Test func `The escape room has one hour for all rooms`() throws {
        let room = try room()
        try room.send(.letIn)
        room.advance(.seconds(1_800))
        try room.send(.unlock(lock: "cellar"))
        #expect(room.remaining("hour") == .seconds(1_800))
        room.advance(.seconds(1_799))
        #expect(room.state == "library")
        room.advance(.seconds(1))
        #expect(room.state == "lockedIn")
    }

    @Test func `An unlocked lock cancels the timer of a hint`() throws {
        let room = try room()
        try room.send(.letIn)
        try room.send(.askHint)
        room.advance(.seconds(30))
        #expect(room.remaining("hint") == .seconds(60))
        try room.send(.unlock(lock: "cellar"))
        #expect(room.remaining("hint") == nil)
        room.advance(.seconds(60))
        #expect(room.machine.version == 3, "its countdown never fires")
    }

    @Test func `The locks open only in their order`() throws {
        let room = try room()
        try room.send(.letIn)
        for lock in ["vault", "library", "kitchen"] { #expect(throws: Refusal.self) { try room.send(.unlock(lock: lock)) } }
        for lock in ["cellar", "library", "vault"] { try room.send(.unlock(lock: lock)) }
        #expect(room.state == "escaped")
    }

    @Test(arguments: [9, 121])
    func `A number of minutes below 10 or above 120 is refused`(minutes: Int) {
        #expect(throws: (any Error).self) { try room(minutes: minutes) }
    }
}

// The errors of sessions that could not be restored.

import BuiltInFlows
import GameFlow
import Memory
import Testing
import Timers
@testable import Sessions

@Suite struct `A session that is set aside` {
    @Test func `The error of a session that is set aside quotes a name with blanks where a command needs it`() {
        func sentence(isQuarantined: Bool) -> String {
            SetAsideSession(
                name: ByteString("room 7"), id: 1, flow: "game", problem: "it does not fit", isQuarantined: isQuarantined
            ).error.sentence
        }
        // If it was the limit of sessions that kept it out, its flow fits, and another RELOAD changes nothing.
        for isQuarantined in [false, true] {
            #expect(
                sentence(isQuarantined: isQuarantined).hasSuffix("RETRY 'room 7' tries it again, DROP 'room 7' discards it"))
        }
    }

    @Test func `A session that is set aside while the daemon runs keeps its slot, for which a full table has no other session`()
        throws
    {
        let kind = FlowKind.flow(Turns.self)
        let sessions = Sessions(on: Timekeeper(VirtualClock()), flows: [kind])
        sessions.table.maxSlots = 2
        for name in ["a", "b"] { _ = try sessions.begin(ByteString(name), kind, nil, from: .network) }
        let aside = sessions.setAside(try #require(sessions.find("a")), because: "it does not fit")
        #expect(sessions.count == 1)
        let error = #expect(throws: SessionError.self) { try sessions.begin(ByteString("c"), kind, nil, from: .network) }
        #expect(error?.code == .limit)
        #expect(sessions.isFull && !sessions.isFull(for: aside))
        #expect(try sessions.reinstate(aside, as: kind) != nil)
        #expect(sessions.find("a")?.slot == 0 && sessions.find("b")?.slot == 1)
    }
}

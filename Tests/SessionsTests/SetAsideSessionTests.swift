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

    @Test(arguments: [1, 3, 256, 1_000])
    func `Sessions of one group are found without those of other groups, if there are at most 256`(groups: Int) {
        var sessions = SetAsideSessions(groups: groups) { (Int($0.text) ?? 0) % groups }
        for number in 0..<3_000 {
            let name = ByteString("\(number)")
            sessions[name] = SetAsideSession(name: name, id: -1, flow: "quiz", problem: "no such state")
        }
        sessions["7"] = nil
        #expect(sessions.count == 2_999 && sessions["7"] == nil && sessions["2999"] != nil)
        for group in 0..<groups {
            let found = sessions.group(group).compactMap { Int($0.name.text) }
            let wanted = stride(from: group, to: 3_000, by: groups).filter { $0 != 7 }
            #expect(groups <= 256 ? found.sorted() == wanted : Set(found).isSuperset(of: wanted))
        }
        #expect(Set((0..<SetAsideSessions.partCount).flatMap { sessions.part($0).map(\.name) }).count == 2_999)
    }
}

// The errors of sessions that could not be restored.

import Memory
import Testing
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
}

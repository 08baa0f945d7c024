// gamectl restart and undrop.

import TestSupport
import Testing

@Suite struct `gamectl restart and undrop` {
    @Test func `gamectl restart and undrop print the new state, or the reason for a refusal`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        #expect(try daemon.gamectl("send", "room", "pass").output == "second\n")
        #expect(try daemon.gamectl("drop", "room").status == 0)
        #expect(try daemon.gamectl("undrop", "room").output == "second\n")
        let taken = try daemon.gamectl("undrop", "room")
        #expect(taken.status != 0 && taken.errors.contains("EXISTS"), "\(taken)")
        #expect(try daemon.gamectl("restart", "room").output == "first\n")
        #expect(try daemon.gamectl("history", "room").output.contains("RESTART"))
        #expect(try daemon.gamectl("help", "undrop").output.contains("10 s"))
        #expect(try daemon.gamectl("help").output.contains("restart"))
        let late = try daemon.gamectl("undrop", "nobody")
        #expect(late.status != 0 && late.errors.contains("NOSESSION"))
    }
}

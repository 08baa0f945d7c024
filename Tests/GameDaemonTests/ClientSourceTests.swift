// CLIENT SOURCE: what a connection's events count as, and who may say so.

import Testing
import Texts
@testable import Commands
@testable import GameDaemon

@Suite struct `CLIENT SOURCE` {
    @Test func `an orchestrator's result is taken from an orchestrator only, and RESET ends being one`() throws {
        let daemon = try Conversation()
        let login = "SEND app loginSucceeded ann"
        for line in [#"NEW app startup '{"state":"authenticating"}'"#] { #expect(try !daemon.ask(line).isError) }
        #expect(try daemon.ask(login).code == .badEvent)
        #expect(try daemon.ask("CLIENT SOURCE ui").text == "OK")
        #expect(try daemon.ask(login).code == .badEvent)
        #expect(try daemon.ask("CLIENT SOURCE orchestrator").text == "OK")
        #expect(try daemon.ask("CLIENT INFO").text?.contains(" source=orchestrator") == true)
        #expect(try daemon.ask("RESET").text == "RESET")
        #expect(try daemon.ask("CLIENT INFO").text?.contains(" source=network") == true)
        #expect(try daemon.ask(login).code == .badEvent)
        #expect(try daemon.ask("CLIENT SOURCE orchestrator").text == "OK")
        #expect(try daemon.ask(login).text == "ready")
        #expect(try daemon.ask("HISTORY app COUNT 1").list.first?["source"]?.text == "orchestrator")
    }

    @Test(arguments: ["timer", "bluetooth", "nobody", ""])
    func `CLIENT SOURCE with a source that no client can have is refused with the possible ones`(word: String) throws {
        let reply = try Conversation().ask("CLIENT SOURCE \"\(word)\"")
        #expect(reply.sentence == "events are of a source ui, network or orchestrator, not '\(word)'")
    }

    @Test func `only an orchestrator or a master may say so`() throws {
        let bench = try Bench()
        let (near, far) = (try bench.plug(), try bench.plug(at: .tcp))
        for plug in [near, far] { plug.send("CLIENT SOURCE orchestrator\r\n") }
        try bench.turn(2)
        #expect(near.read() == "+OK\r\n")
        #expect(
            far.read()
                == "-NOPERM User 'guest' has no permissions to run the 'CLIENT SOURCE' command: the role is guest, and it takes orchestrator, "
                + "over the UNIX socket or with a token\r\n"
        )
    }
}

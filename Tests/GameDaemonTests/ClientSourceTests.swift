// CLIENT SOURCE: the source of a connection's events, and the roles that may set it.

import Testing
import Texts
@testable import Commands
@testable import GameDaemon

@Suite struct `CLIENT SOURCE` {
    @Test func `An orchestrator's event is accepted only after CLIENT SOURCE orchestrator, until RESET`() throws {
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
    func `CLIENT SOURCE with an unavailable source is refused, and the error lists the valid ones`(word: String) throws {
        let reply = try Conversation().ask("CLIENT SOURCE \"\(word)\"")
        #expect(reply.sentence == "events are of a source ui, network or orchestrator, not '\(word)'")
    }

    @Test func `CLIENT SOURCE orchestrator is denied to a guest over TCP and accepted over the UNIX socket`() throws {
        let stepped = try SteppedDaemon()
        let (near, far) = (try stepped.connect(), try stepped.connect(at: .tcp))
        for client in [near, far] { client.send("CLIENT SOURCE orchestrator\r\n") }
        try stepped.turn(2)
        #expect(near.read() == "+OK\r\n")
        #expect(
            far.read()
                == "-NOPERM User 'guest' has no permissions to run the 'CLIENT SOURCE' command: the role is guest; required: orchestrator, "
                + "over the UNIX socket or with a token\r\n"
        )
    }
}

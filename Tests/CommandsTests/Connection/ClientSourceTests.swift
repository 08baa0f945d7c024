// CLIENT SOURCE: the source of a connection's events.

import Testing
import Texts
@testable import Commands

@Suite struct `CLIENT SOURCE` {
    @Test func `An orchestrator's event is accepted only after CLIENT SOURCE orchestrator, until RESET`() throws {
        let conversation = Conversation()
        let login = "SEND app loginSucceeded ann"
        for line in [#"NEW app startup '{"state":"authenticating"}'"#] { #expect(try !conversation.ask(line).isError) }
        #expect(try conversation.ask(login).code == .badEvent)
        #expect(try conversation.ask("CLIENT SOURCE ui").text == "OK")
        #expect(try conversation.ask(login).code == .badEvent)
        #expect(try conversation.ask("CLIENT SOURCE orchestrator").text == "OK")
        #expect(try conversation.ask("CLIENT INFO").text?.contains(" source=orchestrator") == true)
        #expect(try conversation.ask("RESET").text == "RESET")
        #expect(try conversation.ask("CLIENT INFO").text?.contains(" source=network") == true)
        #expect(try conversation.ask(login).code == .badEvent)
        #expect(try conversation.ask("CLIENT SOURCE orchestrator").text == "OK")
        #expect(try conversation.ask(login).text == "ready")
        #expect(try conversation.ask("HISTORY app COUNT 1").list.first?["source"]?.text == "orchestrator")
    }

    @Test(arguments: ["timer", "bluetooth", "nobody", ""])
    func `CLIENT SOURCE with an unavailable source is refused, and the error lists the valid ones`(word: String) throws {
        let reply = try Conversation().ask("CLIENT SOURCE \"\(word)\"")
        #expect(reply.sentence == "events are of a source ui, network or orchestrator, not '\(word)'")
    }
}

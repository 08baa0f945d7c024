// SEND … IF version: an event is accepted only at the version that its sender has seen.

import RESP
import Testing
import Texts

@Suite struct `SEND with IF` {
    @Test func `SEND IF a version is accepted once, however often it is sent`() throws {
        try transcript(
            """
            > NEW room turns
            < +first
            > SEND room pass IF 0
            < +second
            > SEND room pass IF 0
            < -STALE 'room' is at version 1, not 0
            > SEND room pass IF 2
            < -STALE 'room' is at version 1, not 2
            > SEND room pass IF 1
            < +first
            > SEND room nonsense IF 7
            < -BADEVENT 'turns' has no event 'nonsense'; available: pass
            """, with: Conversation())
    }

    @Test func `SEND IF a version can carry a payload, and a payload can be the word IF`() throws {
        try transcript(
            """
            > NEW room game
            < +introduction
            > SEND room startPlaying
            < +choosingEpisode
            > SEND room chooseEpisode 3 if 0
            < -STALE 'room' is at version 1, not 0
            > SEND room chooseEpisode 3 if 1
            < +choosingLevel
            > NEW app startup
            < +launching
            > SEND app deepLink IF
            < +POSTPONED launching
            """, with: Conversation())
    }

    /// Otherwise a timer that ticks each second would make every SEND stale.
    @Test func `SEND IF a version is not refused for timers that stayed in their state`() throws {
        let conversation = try playing()
        let seen = try #require(try conversation.ask("STATE room")["version"]?.integer)
        #expect(try conversation.ask("ADVANCE 70s").integer ?? 0 >= 70, "a tick each second")
        let now = try #require(try conversation.ask("STATE room")["version"]?.integer)
        #expect(now >= seen + 70)
        #expect(try conversation.ask("PAUSE room").text == "OK")
        #expect(try conversation.ask("SEND room completeLevel 100 IF \(seen - 1)").code == .stale)
        #expect(try conversation.ask("SEND room completeLevel 100 IF \(seen)").text == "finishedLevel")
    }

    @Test func `SEND IF a version is refused after a timer has changed the state, or after FORCE`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW room turns")
        _ = try conversation.ask("ADVANCE 30s")
        #expect(try conversation.ask("SEND room pass IF 0").sentence == "'room' is at version 1, not 0")
        _ = try conversation.ask("FORCE room second")
        #expect(try conversation.ask("SEND room pass IF 1").code == .stale)
        #expect(try conversation.ask("EXTEND room turn 5s").integer != nil)
        #expect(
            try conversation.ask("SEND room pass IF 2").text == "first",
            "EXTEND does not change the version")
    }

    @Test func `SEND IF a life and version is refused after the session was dropped and created again`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW room turns")
        let life = try #require(try conversation.ask("STATE room")["life"]?.integer)
        #expect(try conversation.ask("SEND room pass IF \(life):0").text == "second")
        _ = try conversation.ask("DROP room")
        _ = try conversation.ask("NEW room turns")
        #expect(try conversation.ask("SEND room pass IF \(life):0").code == .stale)
        let sentence = try conversation.ask("SEND room pass IF \(life):0").sentence
        #expect(sentence?.hasSuffix(": it was restarted, or dropped and created again") == true, "\(sentence ?? "")")
        #expect(try conversation.ask("SEND room pass IF 0").text == "second", "without a life the name is all that counts")
    }

    @Test(arguments: ["x", "", "-1", "4294967296", "1:", ":1", "1:2:3", "1.5"])
    func `SEND IF with an invalid version is an error, and changes nothing`(version: String) throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW room turns")
        let answer = try conversation.ask("SEND room pass IF '\(version)'")
        #expect(answer.code == .generic)
        #expect(answer.sentence == "'\(version)' is not a version; STATE shows it: 17, or 3:17 with the session's life")
        #expect(try conversation.ask("SEND room pass WHEN 0").code == .generic)
        #expect(try conversation.ask("STATE room")["version"]?.integer == 0)
    }

    @Test func `A refused SEND IF a version is in the history, with the version that the session had`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW room turns")
        _ = try conversation.ask("SEND room pass")
        _ = try conversation.ask("SEND room pass IF 0")
        let line = try #require(try conversation.ask("HISTORY room").list.first)
        #expect(line["code"]?.text == "STALE" && line["version"]?.integer == 1)
        #expect(line["refused"]?.text == "'room' is at version 1, not 0")
    }

    private func playing() throws -> Conversation {
        let conversation = Conversation()
        for line in ["NEW room game", "SEND room startPlaying", "SEND room chooseEpisode 1", "SEND room chooseLevel 1"] {
            #expect(try !conversation.ask(line).isError)
        }
        return conversation
    }
}

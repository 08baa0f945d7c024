// EVENTS … FULL, DESCRIBE, FORCE and NEW give the same limits of a value.

import GameFlow
import Posix
import RESP
import TestSupport
import Testing

@Suite struct `The bounds of a value` {
    private func choosing() throws -> Conversation {
        let conversation = Conversation()
        for line in ["NEW room game", "SEND room startPlaying"] { #expect(try !conversation.ask(line).isError) }
        return conversation
    }

    @Test func `EVENTS FULL describes the payload of each event that a session accepts`() throws {
        try transcript(
            """
            > NEW room game
            < +introduction
            > SEND room startPlaying
            < +choosingEpisode
            > EVENTS room
            < *2
            < $13
            < chooseEpisode
            < $10
            < returnHome
            > EVENTS room full
            < *2
            < *8
            < $5
            < event
            < $13
            < chooseEpisode
            < $5
            < label
            < $14
            < Choose episode
            < $7
            < payload
            < $59
            < {"name":"episode","type":"integer","minimum":1,"maximum":4}
            < $4
            < from
            < *3
            < $2
            < ui
            < $7
            < network
            < $9
            < bluetooth
            < *8
            < $5
            < event
            < $10
            < returnHome
            < $5
            < label
            < $11
            < Return home
            < $7
            < payload
            < $-1
            < $4
            < from
            < *3
            < $2
            < ui
            < $7
            < network
            < $9
            < bluetooth
            > EVENTS room ALL
            < -ERR syntax error; usage: EVENTS session [FULL]
            > EVENTS room FULL ALL
            < -ERR wrong number of arguments for 'EVENTS'; usage: EVENTS session [FULL]
            """, with: Conversation())
    }

    @Test func `EVENTS FULL returns a null payload for an event without one`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW room game")
        let events = try conversation.ask("EVENTS room FULL").list
        #expect(events.map { $0["event"]?.text } == ["displayHelp", "startPlaying"])
        #expect(events.allSatisfy { $0["payload"]?.isNull == true })
    }

    @Test func `DESCRIBE shows the allowed values of a flow's events and states`() throws {
        let game = try choosing().ask("DESCRIBE game")
        let event = try #require(game["events"]?.list.first { $0["name"]?.text == "chooseLevel" })
        #expect(event["payload"]?.text == "level: integer, 1 to 5")
        #expect(event["schema"]?.text == #"{"name":"level","type":"integer","minimum":1,"maximum":5}"#)
        #expect(event["label"]?.text == "Choose level")
        #expect(
            game["fields"]?.list.first?.text == #"{"name":"episode","type":"integer","minimum":1,"maximum":4}"#)
    }

    @Test func `SEND, FORCE and NEW refuse an out-of-range value with the same limits`() throws {
        let conversation = try choosing()
        func refusal(_ line: String) throws -> String? {
            let answer = try conversation.ask(line)
            #expect(answer.code == .badEvent)
            return answer.sentence
        }
        #expect(try refusal("SEND room chooseEpisode 99") == "'chooseEpisode' expects 'episode', a whole number: 1 to 4")
        let forced = "'choosingLevel' expects 'episode', a whole number: 1 to 4"
        #expect(try refusal(#"FORCE room choosingLevel "{\"episode\":99}""#) == forced)
        #expect(try refusal(#"NEW other game "{\"state\":\"choosingLevel\",\"episode\":99}""#) == forced)
        #expect(try refusal(#"NEW other game "{\"state\":\"choosingLevel\",\"data\":{\"episode\":\"x\"}}""#) == forced)
        #expect(try conversation.ask("STATE room")["state"]?.text == "choosingEpisode")
        #expect(try conversation.ask("STATE other").code == .noSession)
        #expect(try conversation.ask(#"FORCE room choosingLevel "{\"episode\":4}""#).text == "choosingLevel")
    }
}

@Suite struct `The time left on a timer` {
    @Test func `TIMERS shows a timer's remaining time, length and deadline, which is null while paused`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW hall turns")
        _ = try conversation.ask("ADVANCE 10s")
        func timer() throws -> Answer { try #require(try conversation.ask("TIMERS hall").list.first) }
        let before = Int(TurnClock.now().wallNanoseconds / 1_000_000)
        let running = try timer()
        let after = Int(TurnClock.now().wallNanoseconds / 1_000_000)
        #expect(running["remaining_ms"]?.integer == 20_000 && running["length_ms"]?.integer == 30_000)
        let deadline = try #require(running["deadline_ms"]?.integer)
        #expect((before + 20_000...after + 20_001).contains(deadline))

        _ = try conversation.ask("PAUSE hall turn")
        #expect(try timer()["deadline_ms"]?.isNull == true && timer()["length_ms"]?.integer == 30_000)
        _ = try conversation.ask("RESUME hall turn")
        _ = try conversation.ask("PAUSE hall")
        #expect(try timer()["deadline_ms"]?.isNull == true && timer()["remaining_ms"]?.integer == 20_000)
    }

    @Test func `A timer's remaining time is shown in milliseconds and accepted in milliseconds or nanoseconds`() throws {
        let conversation = Conversation()
        let given = #"NEW hall turns "{\"state\":\"second\",\"turn\":{\"remaining_ns\":5000000001}}""#
        #expect(try conversation.ask(given).text == "second")
        #expect(try conversation.ask("STATE hall")["data"]?.text?.contains(#""remaining_ms":5001,"#) == true)
        #expect(
            try conversation.ask("HISTORY hall").list.first?["payload"]?.text
                == #"{"state":"second","turn":{"remaining_ms":5001}}"#)
        #expect(try conversation.ask(#"FORCE hall first "{\"turn\":{\"remaining_ms\":7000}}""#).text == "first")
        #expect(try conversation.ask("TIMERS hall").list.first?["remaining_ms"]?.integer == 7_000)
        #expect(try conversation.ask("HISTORY hall").list.first?["payload"]?.text == #"{"turn":{"remaining_ms":7000}}"#)
    }

    @Test func `FORCE with the data that STATE shows keeps a timer's remaining time`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW hall turns")
        _ = try conversation.ask("ADVANCE 10s")
        let data = try #require(try conversation.ask("STATE hall")["data"]?.text)
        #expect(
            try conversation.ask(Array("FORCE".utf8), Array("hall".utf8), Array("second".utf8), Array(data.utf8)).text
                == "second")
        #expect(try conversation.ask("TIMERS hall").list.first?["remaining_ms"]?.integer == 20_000)
    }
}

// EVENTS … FULL, DESCRIBE, FORCE and NEW give the same limits of a value.

import GameFlow
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

// Out-of-range values in commands: each is refused with an error and changes nothing.

import Testing
@testable import Commands

@Suite struct `Out-of-range values in commands` {
    @Test(arguments: [
        (#"{"state":"playingLevel","episode":1,"level":1,"play":{"seconds":9223372036854775807}}"#, "seconds"),
        (#"{"state":"playingLevel","episode":1,"level":1,"play":{"seconds":-1}}"#, "seconds"),
        (#"{"state":"playingLevel","episode":9,"level":1,"play":{"seconds":1}}"#, "expects 'episode', a whole number: 1 to 4"),
        (#"{"state":"choosingLevel","episode":0}"#, "expects 'episode', a whole number: 1 to 4"),
        (#"{"state":"choosingLevel","episode":300}"#, "expects 'episode', a whole number: 1 to 4"),
        (#"{"state":"finishedLevel","episode":1,"level":6,"score":1}"#, "expects 'level', a whole number: 1 to 5"),
        (#"{"state":"finishedLevel","episode":1,"level":5,"score":-1}"#, "expects 'score', a whole number: 0 to 2147483647"),
        (#"{"state":"help","help":{"remaining_ns":-9223372036854775808}}"#, "zero or more"),
        (#"{"state":"help","help":{"timer":"help","remaining_ns":-1,"paused":true}}"#, "zero or more"),
        (#"{"state":"help","help":{"timer":"help","remaining_ns":9223372036854775807}}"#, "time ends"),
        (#"{"state":"help","help":{"timer":"help","remaining_ns":1.5}}"#, "whole number"),
        (#"{"state":"help","help":{"timer":"help","remaining_ns":"soon"}}"#, "whole number"),
        (#"{"state":"help","help":{"timer":"help","paused":"perhaps"}}"#, "true or false"),
        (#"{"state":"help","help":{"timer":"choosingLevel"}}"#, "carries the timer 'help'"),
    ])
    func `NEW and FORCE refuse out-of-range values and change nothing`(data: String, sentence: String)
        throws
    {
        let conversation = Conversation()
        // The data are one word in quotes.
        let words = "\"" + data.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        let begun = try conversation.ask("NEW a game \(words)")
        #expect(begun.code == .badEvent && begun.sentence?.contains(sentence) == true, "\(begun)")
        #expect(try conversation.ask("STATE a").code == .noSession)
        _ = try conversation.ask("NEW b game")
        let state = try #require(data.firstMatch(of: /"state":"(\w+)"/)?.1)
        let forced = try conversation.ask("FORCE b \(state) \(words)")
        #expect(forced.code == .badEvent && forced.sentence?.contains(sentence) == true, "\(forced)")
        #expect(try conversation.ask("STATE b")["state"]?.text == "introduction")
        #expect(try conversation.ask("ADVANCE 10s").integer == 0)
    }
}

@Suite struct `The end of virtual time` {
    @Test func `EXTEND, ADVANCE and RESUME beyond the end of virtual time are refused`()
        throws
    {
        let conversation = Conversation { $0.advanceFirings = 1_000_000_000 }
        _ = try conversation.ask("NEW a turns")
        for _ in 1...2 { #expect(try conversation.ask("EXTEND a turn 36599d").integer ?? 0 > 0) }
        let beyond = try conversation.ask("EXTEND a turn 36599d")
        #expect(beyond.code == .generic && beyond.sentence?.contains("time ends in") == true, "\(beyond)")
        _ = try conversation.ask(
            #"NEW b game "{\"state\":\"playingLevel\",\"episode\":1,\"level\":1,\"play\":{\"seconds\":0}}""#)
        for _ in 1...2 { _ = try conversation.ask("EXTEND b timeLimit 36599d") }
        _ = try conversation.ask("PAUSE b")
        _ = try conversation.ask("PAUSE a")
        for _ in 1...2 { #expect(try conversation.ask("ADVANCE 36599d").integer == 0) }
        let end = try conversation.ask("ADVANCE 36599d")
        #expect(end.code == .generic && end.sentence?.contains("time ends in") == true, "\(end)")
        for words in ["RESUME a", "RESUME b"] {
            let answer = try conversation.ask(words)
            #expect(answer.code == .generic && answer.sentence?.contains("time ends in") == true, "\(answer)")
        }
        #expect(try conversation.ask("STATE b")["paused"]?.integer == 1)
        // After a negative EXTEND, the timers can be resumed.
        for _ in 1...2 { _ = try conversation.ask("EXTEND b timeLimit -36599d") }
        #expect(try conversation.ask("RESUME b").text == "OK")
        #expect(try conversation.ask("ADVANCE 5s").integer == 5)
    }

    @Test func `Timers that would fire beyond the end of virtual time are refused, and ADVANCE does not hang`() throws {
        let conversation = Conversation()
        for _ in 1...2 { _ = try conversation.ask("ADVANCE 36599d") }
        let refused = try conversation.ask("ADVANCE 36599d")
        let sentence = try #require(refused.sentence)
        let left = try #require(sentence.firstMatch(of: /ends in (\d+) ms/).flatMap { Int($0.1) })
        #expect(try conversation.ask("ADVANCE \(left - 10_000)").integer == 0)
        let answer = try conversation.ask("NEW a turns")
        #expect(answer.code == .badEvent && answer.sentence?.contains("time ends in") == true, "\(answer)")
        _ = try conversation.ask("NEW b game")
        #expect(try conversation.ask("SEND b displayHelp").code == .badEvent, "its countdown would never fire")
        #expect(try conversation.ask("STATE b")["state"]?.text == "introduction")
        #expect(try conversation.ask("ADVANCE 9s").integer == 0)
    }
}

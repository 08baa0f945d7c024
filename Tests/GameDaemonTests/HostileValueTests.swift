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
        let daemon = try Conversation()
        // The data are one word in quotes.
        let words = "\"" + data.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        let begun = try daemon.ask("NEW a game \(words)")
        #expect(begun.code == .badEvent && begun.sentence?.contains(sentence) == true, "\(begun)")
        #expect(try daemon.ask("STATE a").code == .noSession)
        _ = try daemon.ask("NEW b game")
        let state = try #require(data.firstMatch(of: /"state":"(\w+)"/)?.1)
        let forced = try daemon.ask("FORCE b \(state) \(words)")
        #expect(forced.code == .badEvent && forced.sentence?.contains(sentence) == true, "\(forced)")
        #expect(try daemon.ask("STATE b")["state"]?.text == "introduction")
        #expect(try daemon.ask("ADVANCE 10s").integer == 0)
    }
}

@Suite struct `The end of virtual time` {
    @Test func `EXTEND, ADVANCE and RESUME beyond the end of virtual time are refused`()
        throws
    {
        let daemon = try Conversation { $0.advanceFirings = 1_000_000_000 }
        _ = try daemon.ask("NEW a turns")
        for _ in 1...2 { #expect(try daemon.ask("EXTEND a turn 36599d").integer ?? 0 > 0) }
        let beyond = try daemon.ask("EXTEND a turn 36599d")
        #expect(beyond.code == .generic && beyond.sentence?.contains("time ends in") == true, "\(beyond)")
        _ = try daemon.ask(#"NEW b game "{\"state\":\"playingLevel\",\"episode\":1,\"level\":1,\"play\":{\"seconds\":0}}""#)
        for _ in 1...2 { _ = try daemon.ask("EXTEND b timeLimit 36599d") }
        _ = try daemon.ask("PAUSE b")
        _ = try daemon.ask("PAUSE a")
        for _ in 1...2 { #expect(try daemon.ask("ADVANCE 36599d").integer == 0) }
        let end = try daemon.ask("ADVANCE 36599d")
        #expect(end.code == .generic && end.sentence?.contains("time ends in") == true, "\(end)")
        for words in ["RESUME a", "RESUME b"] {
            let answer = try daemon.ask(words)
            #expect(answer.code == .generic && answer.sentence?.contains("time ends in") == true, "\(answer)")
        }
        #expect(try daemon.ask("STATE b")["paused"]?.integer == 1)
        // After a negative EXTEND, the timers can be resumed.
        for _ in 1...2 { _ = try daemon.ask("EXTEND b timeLimit -36599d") }
        #expect(try daemon.ask("RESUME b").text == "OK")
        #expect(try daemon.ask("ADVANCE 5s").integer == 5)
    }

    @Test func `Timers that would fire beyond the end of virtual time are refused, and ADVANCE does not hang`() throws {
        let daemon = try Conversation()
        for _ in 1...2 { _ = try daemon.ask("ADVANCE 36599d") }
        let refused = try daemon.ask("ADVANCE 36599d")
        let sentence = try #require(refused.sentence)
        let left = try #require(sentence.firstMatch(of: /ends in (\d+) ms/).flatMap { Int($0.1) })
        #expect(try daemon.ask("ADVANCE \(left - 10_000)").integer == 0)
        let answer = try daemon.ask("NEW a turns")
        #expect(answer.code == .badEvent && answer.sentence?.contains("time ends in") == true, "\(answer)")
        _ = try daemon.ask("NEW b game")
        #expect(try daemon.ask("SEND b displayHelp").code == .badEvent, "its countdown would never fire")
        #expect(try daemon.ask("STATE b")["state"]?.text == "introduction")
        #expect(try daemon.ask("ADVANCE 9s").integer == 0)
    }
}

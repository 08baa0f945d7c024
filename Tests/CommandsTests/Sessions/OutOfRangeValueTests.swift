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
        (#"{"state":"help","help":[]}"#, "the timer 'help' is an object"),
        (#"{"state":"choosingLevel","episode":1,"best":{"1.1":7},"level":2}"#, "'choosingLevel': there is no value '"),
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

// The names in a scenario, checked against its flows before any step runs.

import GameFlow
import Testing
import Texts

@testable import Simulation

@Suite struct `A scenario's names` {
    /// Parses a scenario for the built-in flows and returns its mistakes.
    private func mistakes(_ text: String) -> [String] {
        do throws(ScenarioFault) {
            _ = try Scenario(parsing: text, path: "it", for: .builtIn)
            return []
        } catch {
            return error.sentences
        }
    }

    @Test func `Wrong names in a scenario are all found at once, with file and line, beside unknown steps`() {
        let text = """
            new room game
            send rom startPlaying
            send room strtPlaying
            expect room chosingEpisode
            snd room displayHelp
            expect-timer room lobby 30s
            expect-timers room help tik
            expect-events room displayHlp
            expect-paused room lobby yes
            pause room lobby
            advance soon
            extend room help '1m 30s'
            new hall gmae
            send hall anything
            force room nowhere
            send room timeIsUp
            send room chooseEpisode {broken
            describe chess
            """
        #expect(
            mistakes(text) == [
                "it:2: there is no session 'rom'; did you mean 'room'?",
                "it:3: the flow 'game' has no event 'strtPlaying'; did you mean 'startPlaying'?",
                "it:4: the flow 'game' has no state 'chosingEpisode'; did you mean 'choosingEpisode'?",
                "it:5: unknown step 'snd'; did you mean 'send'?",
                "it:6: the flow 'game' has no timer 'lobby'; available: \(Self.timers)",
                "it:7: the flow 'game' has no timer 'tik'; did you mean 'tick'?",
                "it:8: the flow 'game' has no event 'displayHlp'; did you mean 'displayHelp'?",
                "it:9: the flow 'game' has no timer 'lobby'; available: \(Self.timers)",
                "it:10: the flow 'game' has no timer 'lobby'; available: \(Self.timers)",
                "it:11: 'soon' is not a duration; write it like 90s, 1m30s, 250ms, or a number of milliseconds",
                "it:12: '1m 30s' is not a duration; write it as one word: 1m30s",
                "it:13: there is no flow 'gmae'; did you mean 'game'?",
                "it:15: the flow 'game' has no state 'nowhere'; available: introduction, help, choosingEpisode, choosingLevel, "
                    + "playingLevel, finishedLevel",
                "it:16: only a timer sends 'timeIsUp'",
                "it:17: the payload is not JSON: a member's name in quotes is missing at byte 2",
                "it:18: there is no flow 'chess'; available: game, startup, registration, onboarding, permissions, turns",
            ])
    }

    @Test func `A scenario's first 20 unknown sessions get suggestions`() {
        let found = mistakes("new room game\n" + String(repeating: "send rom startPlaying\n", count: 25))
        #expect(found.count == 25)
        #expect(found.prefix(20).allSatisfy { $0.hasSuffix("there is no session 'rom'; did you mean 'room'?") })
        #expect(found.dropFirst(20).allSatisfy { $0.hasSuffix("'rom'; create it in an earlier line: new rom FLOW") })
    }

    private static let timers = "help, choosingEpisode, choosingLevel, timeLimit, tick, finishedLevel"

    @Test(arguments: [
        (#"new room game '{"state":"finishedLevel","episode":9,"level":1,"score":0}'"#, "it:1: "),
        (#"new room game '{"state":"nowhere"}'"#, "it:1: 'game' has no state 'nowhere'; available: introduction"),
        (#"new room game '{"context":{"minutes":1}}'"#, "it:1: 'game' has no parameter 'minutes'"),
        ("new room game\nforce room choosingLevel '{\"episode\":9}'", "it:2: "),
    ])
    func `An invalid value in a NEW or FORCE step is a mistake`(text: String, beginning: String) {
        let found = mistakes(text)
        #expect(found.count == 1 && found[0].hasPrefix(beginning), "\(found)")
    }

    @Test(arguments: [
        "new room game\nexpect-error BADEVENT send room jump", "expect-error NOSESSION state nobody",
        "expect-error NOFLOW new room chess", "new room game\nexpect-error EXISTS new room turns\nsend room startPlaying",
        "new room game\nexpect-error NOTIMER pause room lobby", "expect-reply 0 drop nobody", "drop nobody",
        "expect-reply 'NOSESSION there is no session …' state nobody", "expect-error ERR snd",
        "new room game\ndrop room\nnew room turns\nsend room pass\nexpect room second",
        "new room game\ndrop room\nexpect-error NOSESSION state room", "cluster keyslot nobody",
        "new room game\nforce room choosingLevel '{\"episode\":2}'\nforce room introduction",
    ])
    func `A name that is meant to be wrong is not a mistake`(text: String) {
        #expect(mistakes(text) == [])
    }

    @Test(arguments: [
        ("new room game\nexpect-error NOTRANSITION send room jump", "it:2: the flow 'game' has no event 'jump'; available: "),
        ("expect-error NOTRANSITION snd room jump", "it:1: unknown step 'snd'"),
        ("new room game\nexpect-error ERR watch room room hall", "it:2: there is no session 'hall'"),
        ("expect-error NOSESSION pause", "it:1: wrong number of arguments for 'PAUSE'"),
        ("expect-error NOTRANSITION expect-error NOTRANSITION pause", "it:1: 'expect-error' is not a command; expect-error"),
        ("expect-reply yes Expect room help", "it:1: 'expect' is not a command; expect-error and expect-reply take"),
    ])
    func `A wrong name in a step that is to be refused for another reason is a mistake`(text: String, beginning: String) {
        let found = mistakes(text)
        #expect(found.count == 1 && found[0].hasPrefix(beginning), "\(found)")
    }

    @Test func `A session whose NEW step is invalid causes no further mistakes`() {
        #expect(mistakes("nwe room game\nsend room startPlaying").count == 1)
        #expect(mistakes("new room chess\nsend room checkmate\nexpect room mate").count == 1)
    }

    @Test func `A duration written as two words is reported with its form in one word`() {
        #expect(
            mistakes("new room game\nextend room help 1m 30s") == [
                "it:2: wrong number of arguments for 'EXTEND'; a duration is one word, 1m30s; "
                    + "usage: EXTEND session timer duration"
            ])
    }

    @Test func `A missing device file is a mistake of its step`() {
        let found = mistakes("devices /nowhere/room.json")
        #expect(found.count == 1 && found[0].hasPrefix("it:1: cannot read /nowhere/room.json"), "\(found)")
    }

    @Test func `A scenario with valid names passes the check and runs`() throws {
        let text = "new a turns\nadvance 30s\nexpect a second"
        #expect(try Scenario(parsing: text, path: "it", for: .builtIn).run().isGood)
    }
}

@Suite struct `The list of available names` {
    @Test(arguments: [([], "available: none"), (["game"], "available: game"), (["game", "turns"], "available: game, turns")])
    func `The list of available names is separated by commas, or is the word none`(names: [String], sentence: String) {
        #expect(names.available == sentence)
    }
}

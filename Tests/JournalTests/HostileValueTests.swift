// Hostile values: each is refused with a sentence, or does no harm, now and after a restart.

import Foundation
import TestSupport
import Testing

@Suite struct `Numbers beyond all reason` {
    private static let virtual = ["--durability", "always", "--time", "virtual"]

    @Test(arguments: [
        (#"{"state":"playingLevel","episode":1,"level":1,"play":{"seconds":9223372036854775807}}"#, "seconds"),
        (#"{"state":"playingLevel","episode":1,"level":1,"play":{"seconds":-1}}"#, "seconds"),
        (#"{"state":"playingLevel","episode":9,"level":1,"play":{"seconds":1}}"#, "no episode 9"),
        (#"{"state":"choosingLevel","episode":0}"#, "no episode 0"), (#"{"state":"choosingLevel","episode":300}"#, "episode"),
        (#"{"state":"finishedLevel","episode":1,"level":6,"score":1}"#, "no level 6"),
        (#"{"state":"finishedLevel","episode":1,"level":5,"score":-1}"#, "no score"),
        (#"{"state":"help","help":{"remaining_ns":-9223372036854775808}}"#, "zero or more"),
        (#"{"state":"help","help":{"timer":"help","remaining_ns":-1,"paused":true}}"#, "zero or more"),
        (#"{"state":"help","help":{"timer":"help","remaining_ns":9223372036854775807}}"#, "time ends"),
        (#"{"state":"help","help":{"timer":"help","remaining_ns":1.5}}"#, "whole number"),
        (#"{"state":"help","help":{"timer":"help","remaining_ns":"soon"}}"#, "whole number"),
        (#"{"state":"help","help":{"timer":"help","paused":"perhaps"}}"#, "true or false"),
        (#"{"state":"help","help":{"timer":"choosingLevel"}}"#, "carries the timer 'help'"),
    ])
    func `are refused by NEW and by FORCE alike, and change nothing`(data: String, sentence: String) throws {
        let daemon = try DaemonProcess(in: Folder(), ["--data", "none", "--time", "virtual"])
        #expect(daemon.isUp())
        let asker = try daemon.asker()
        // The data are one word in quotes.
        let words = "\"" + data.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        let begun = try asker.ask("NEW a game \(words)")
        #expect(begun.code == .badEvent && begun.sentence?.contains(sentence) == true, "\(begun)")
        #expect(try asker.ask("STATE a").code == .noSession)
        _ = try asker.ask("NEW b game")
        let state = try #require(data.firstMatch(of: /"state":"(\w+)"/)?.1)
        let forced = try asker.ask("FORCE b \(state) \(words)")
        #expect(forced.code == .badEvent && forced.sentence?.contains(sentence) == true, "\(forced)")
        #expect(try asker.ask("STATE b")["state"]?.text == "introduction")
        #expect(try asker.ask("ADVANCE 10s").integer == 0)
    }

    @Test func `that are stored are set aside, and can be dropped`() throws {
        let folder = try Folder()
        let first = try DaemonProcess(in: folder, Self.virtual)
        #expect(first.isUp())
        for name in ["a", "b", "c", "d"] { _ = try first.ask("NEW \(name) game") }
        let play = #""{\"state\":\"playingLevel\",\"episode\":1,\"level\":1,\"play\":{\"seconds\":5}}""#
        #expect(try first.ask("NEW e game \(play)").text == "playingLevel")
        _ = try first.ask("SEND b displayHelp")
        _ = try first.ask("SEND c displayHelp")
        _ = try first.ask("PAUSE c help")
        #expect(first.stop() == 0)
        try folder.sql(
            """
            update sessions set timers = replace(timers, '60000000000', '-9223372036854775808'), checksum = NULL where name in ('b', 'c');
            update sessions set data = replace(data, '"seconds":5', '"seconds":9223372036854775807'), checksum = NULL where name = 'e';
            """)
        let second = try DaemonProcess(in: folder, Self.virtual)
        #expect(second.isUp())
        for name in ["b", "c", "e"] { #expect(try second.ask("STATE \(name)").code == .setAside) }
        #expect(
            second.errors.contains("the timer 'help' cannot have")
                && second.errors.contains("seconds, and not 9223372036854775807"))
        #expect(try second.ask("ADVANCE 10s").integer == 0)
        for name in ["b", "c", "e"] { #expect(try second.ask("DROP \(name)").integer == 1) }
        #expect(try second.ask("STATE a")["state"]?.text == "introduction")
        #expect(second.stop() == 0)
    }
}

@Suite struct `The end of virtual time` {
    @Test func `is refused by EXTEND and ADVANCE, and a clock that would go on behind it stays stopped`() throws {
        let daemon = try DaemonProcess(
            in: Folder(), ["--data", "none", "--time", "virtual", "--limit", "advance-firings=1000000000"])
        #expect(daemon.isUp())
        let asker = try daemon.asker()
        _ = try asker.ask("NEW a turns")
        for _ in 1...2 { #expect(try asker.ask("EXTEND a turn 36599d").integer ?? 0 > 0) }
        let beyond = try asker.ask("EXTEND a turn 36599d")
        #expect(beyond.code == .generic && beyond.sentence?.contains("time ends in") == true, "\(beyond)")
        _ = try asker.ask(#"NEW b game "{\"state\":\"playingLevel\",\"episode\":1,\"level\":1,\"play\":{\"seconds\":0}}""#)
        for _ in 1...2 { _ = try asker.ask("EXTEND b timeLimit 36599d") }
        _ = try asker.ask("PAUSE b")
        _ = try asker.ask("PAUSE a")
        for _ in 1...2 { #expect(try asker.ask("ADVANCE 36599d").integer == 0) }
        let end = try asker.ask("ADVANCE 36599d")
        #expect(end.code == .generic && end.sentence?.contains("time ends in") == true, "\(end)")
        for words in ["RESUME a", "RESUME b"] {
            let answer = try asker.ask(words)
            #expect(answer.code == .generic && answer.sentence?.contains("time ends in") == true, "\(answer)")
        }
        #expect(try asker.ask("STATE b")["paused"]?.integer == 1)
        // Time can be taken away, and then they go on.
        for _ in 1...2 { _ = try asker.ask("EXTEND b timeLimit -36599d") }
        #expect(try asker.ask("RESUME b").text == "OK")
        #expect(try asker.ask("ADVANCE 5s").integer == 5)
    }

    @Test func `is reached in one step, with what fires there, and nothing hangs`() throws {
        let daemon = try DaemonProcess(in: Folder(), ["--data", "none", "--time", "virtual"])
        #expect(daemon.isUp())
        let asker = try daemon.asker()
        for _ in 1...2 { _ = try asker.ask("ADVANCE 36599d") }
        let refused = try asker.ask("ADVANCE 36599d")
        let sentence = try #require(refused.sentence)
        let left = try #require(sentence.firstMatch(of: /ends in (\d+) ms/).flatMap { Int($0.1) })
        #expect(try asker.ask("ADVANCE \(left - 10_000)").integer == 0)
        let answer = try asker.ask("NEW a turns")
        #expect(answer.code == .badEvent && answer.sentence?.contains("time ends in") == true, "\(answer)")
        _ = try asker.ask("NEW b game")
        #expect(try asker.ask("SEND b displayHelp").code == .badEvent, "its countdown would never fire")
        #expect(try asker.ask("STATE b")["state"]?.text == "introduction")
        #expect(try asker.ask("ADVANCE 9s").integer == 0)
    }
}

@Suite struct `Texts of few characters and many bytes` {
    @Test(arguments: ["always", "everysec"])
    func `are refused, kept as far as there is room, and restored`(durability: String) throws {
        let folder = try Folder()
        let daemon = try DaemonProcess(in: folder, ["--durability", durability])
        #expect(daemon.isUp())
        let asker = try daemon.asker()
        _ = try asker.ask("NEW a game")
        let texts = [
            "e" + String(repeating: "\u{301}", count: 2_000), "e" + String(repeating: "\u{301}", count: 33_000),
            String(repeating: "👨‍👩‍👧‍👦", count: 9_000),
        ]
        for text in texts {
            for words in [
                ["SEND", "a", text], ["SEND", "a", "chooseEpisode", text], ["FORCE", "a", text], ["NEW", text, "game"],
                ["NEW", "x", text],
            ] {
                let answer = try asker.ask(words: words)
                #expect(answer.isError && (answer.sentence?.utf8.count ?? 0) < 1_200, "\(words[0])")
            }
        }
        #expect(try asker.ask("STATE a")["state"]?.text == "introduction")
        let lines = try asker.ask("HISTORY a").list
        #expect(lines.count >= 4 && lines.allSatisfy { ($0["event"]?.text?.utf8.count ?? 0) < 300 })
        #expect(daemon.stop() == 0)
        let next = try DaemonProcess(in: folder)
        #expect(next.isUp())
        #expect(try next.ask("HISTORY a").list.map { $0["refused"]?.text } == lines.map { $0["refused"]?.text })
    }
}

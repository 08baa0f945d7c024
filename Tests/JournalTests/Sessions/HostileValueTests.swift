// Hostile values on disk: each is refused with an error or does no harm, and is unchanged after a restart.
// Tests/CommandsTests has the values that NEW, FORCE and the clock commands refuse.

import Foundation
import TestSupport
import Testing

@Suite struct `Extreme numbers` {
    private static let virtual = ["--durability", "always", "--time", "virtual"]

    @Test func `Sessions stored with numbers out of range are set aside, and can be dropped`() throws {
        let folder = try Folder()
        let first = try RunningDaemon(keepingIn: folder, Self.virtual)
        #expect(first.waitUntilUp())
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
        let second = try RunningDaemon(keepingIn: folder, Self.virtual)
        #expect(second.waitUntilUp())
        for name in ["b", "c", "e"] { #expect(try second.ask("STATE \(name)").code == .setAside) }
        #expect(
            second.errors.contains("the timer 'help' cannot have")
                && second.errors.contains("'playingLevel' expects 'seconds', a whole number: 0 to"))
        #expect(try second.ask("ADVANCE 10s").integer == 0)
        for name in ["b", "c", "e"] { #expect(try second.ask("DROP \(name)").integer == 1) }
        #expect(try second.ask("STATE a")["state"]?.text == "introduction")
        #expect(second.stop() == 0)
    }
}

@Suite struct `Texts of few characters and many bytes` {
    @Test(arguments: StoreKind.each(["always", "everysec"], ofDatabase: { $0 == "always" && StoreKind.isThorough }))
    func `Short texts of many bytes are refused, kept shortened, and restored`(storeKind: StoreKind, durability: String) throws
    {
        let store = try DaemonStore(storeKind)
        let daemon = try store.start(["--durability", durability])
        let client = try daemon.client()
        _ = try client.ask("NEW a game")
        let texts = [
            "e" + String(repeating: "\u{301}", count: 2_000), "e" + String(repeating: "\u{301}", count: 33_000),
            String(repeating: "👨‍👩‍👧‍👦", count: 9_000),
        ]
        for text in texts {
            for words in [
                ["SEND", "a", text], ["SEND", "a", "chooseEpisode", text], ["FORCE", "a", text], ["NEW", text, "game"],
                ["NEW", "x", text],
            ] {
                let answer = try client.ask(words: words)
                #expect(answer.isError && (answer.sentence?.utf8.count ?? 0) < 1_200, "\(words[0])")
            }
        }
        #expect(try client.ask("STATE a")["state"]?.text == "introduction")
        let lines = try client.ask("HISTORY a").list
        #expect(lines.count >= 4 && lines.allSatisfy { ($0["event"]?.text?.utf8.count ?? 0) < 300 })
        let next = try store.restart(daemon, isKilled: false)
        #expect(try next.ask("HISTORY a").list.map { $0["refused"]?.text } == lines.map { $0["refused"]?.text })
    }
}

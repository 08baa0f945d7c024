// Events that a flow postpones: acknowledged ones survive any end of the process.

import Foundation
import JSON
import TestSupport
import Testing

@Suite struct `A postponed event` {
    private static let words = ["--durability", "always", "--time", "virtual"]

    private func what(_ client: TestClient) throws -> [String] {
        try client.ask("HISTORY a COUNT 50").list.map { "\($0["event"]?.text ?? "") \($0["what"]?.text ?? "")" }
    }

    @Test(arguments: StoreKind.endings(ofDatabase: true))
    func `A postponed event survives a restart of the daemon, and is accepted once its state allows it`(
        storeKind: StoreKind, isKilled: Bool
    ) throws {
        let store = try DaemonStore(storeKind)
        var daemon = try store.start()
        var client = try daemon.client()
        _ = try client.ask("NEW a startup")
        #expect(try client.ask("SEND a deepLink /news/7").text == "POSTPONED launching")
        #expect(try client.ask(#"SEND a deepLink "{\"path\":\"/two\"}""#).text == "POSTPONED launching")
        #expect(try client.ask("FORCE a needsLogin").text == "needsLogin")
        for _ in 1...2 {
            #expect(try client.ask("STATE a")["postponed"]?.list.map(\.text) == ["deepLink", "deepLink"])
            #expect(try what(client) == ["FORCE forced", "deepLink postponed", "deepLink postponed", "NEW begun"])
            daemon = try store.restart(daemon, isKilled: isKilled)
            client = try daemon.client()
        }
        #expect(try client.ask(#"FORCE a ready "{\"userID\":\"ann\"}""#).text == "ready")
        let data = try #require(client.ask("STATE a")["data"]?.text)
        #expect(data.contains(#""link":"/two""#) || data.contains(#""link":"\/two""#), "\(data)")
        #expect(try client.ask("STATE a")["postponed"]?.list.isEmpty == true)
        #expect(
            try what(client) == [
                "deepLink taken", "deepLink taken", "FORCE forced", "FORCE forced", "deepLink postponed", "deepLink postponed",
                "NEW begun",
            ])
        let me = try run("id", ["-un"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
        let actors = try client.ask("HISTORY a COUNT 50").list.map { $0["actor"]?.text }
        #expect(actors.allSatisfy { $0 == me }, "\(actors)")
        daemon = try store.restart(daemon)
        #expect(try daemon.ask("STATE a")["postponed"]?.list.isEmpty == true)
        #expect(try daemon.ask("STATE a")["data"]?.text == data)
        #expect(daemon.stop() == 0)
    }

    @Test(arguments: StoreKind.thorough) func `Postponed events of a dropped session free their memory`(storeKind: StoreKind)
        throws
    {
        let store = try DaemonStore(storeKind)
        let daemon = try store.start(["--limit", "waiting-bytes=300000"])
        let client = try daemon.client()
        let link = "/" + String(repeating: "x", count: 100_000)
        for name in ["a", "b"] { _ = try client.ask("NEW \(name) startup") }
        for _ in 1...2 { #expect(try client.ask(words: ["SEND", "a", "deepLink", link]).text == "POSTPONED launching") }
        let refused = try client.ask(words: ["SEND", "b", "deepLink", link])
        #expect(refused.code == .limit && refused.sentence?.contains("waiting-bytes") == true, "\(refused)")
        #expect(try client.ask("SEND b deepLink /short").text == "POSTPONED launching")
        #expect(try client.ask("DROP a").integer == 1)
        for _ in 1...2 { #expect(try client.ask(words: ["SEND", "b", "deepLink", link]).text == "POSTPONED launching") }
        let next = try store.restart(daemon, ["--limit", "waiting-bytes=300000"])
        #expect(try next.ask("STATE b")["postponed"]?.list.count == 3)
        #expect(try next.client().ask(words: ["SEND", "b", "deepLink", link]).code == .limit, "restored events count, too")
    }

    @Test func `A postponed event of 1 MB waits, and further ones are refused`() throws {
        let daemon = try RunningDaemon(keepingIn: Folder(), Self.words)
        #expect(daemon.waitUntilUp())
        let client = try daemon.client()
        _ = try client.ask("NEW a startup")
        let link = "/" + String(repeating: "x", count: 1_000_000)
        let answers = try (1...40).map { _ in try client.ask(words: ["SEND", "a", "deepLink", link]) }
        #expect(answers[0].text == "POSTPONED launching" && answers[1...].allSatisfy { $0.code == .limit })
        #expect(try client.ask("STATE a")["postponed"]?.list.count == 1)
    }

    @Test(arguments: [false, true])
    func `Postponed events keep their ids and ages over a restart, and WITHDRAW is durable`(isKilled: Bool) throws {
        let folder = try Folder()
        let daemon = try RunningDaemon(keepingIn: folder, ["--durability", "always"])
        #expect(daemon.waitUntilUp())
        _ = try daemon.ask("NEW a startup")
        for link in ["/1", "/2", "/3"] { _ = try daemon.ask("SEND a deepLink \(link)") }
        #expect(try daemon.ask("WITHDRAW a 2").text == "deepLink")
        usleep(300_000)
        if isKilled { daemon.killIt() } else { #expect(daemon.stop() == 0) }
        let next = try RunningDaemon(keepingIn: folder, ["--durability", "always"])
        #expect(next.waitUntilUp())
        let view = try JSON(parsing: try #require(try next.ask("VIEW a").text))
        guard case .array(let events)? = view["postponed"] else { Issue.record("\(view)"); return }
        #expect(events.map { $0["id"] } == [1, 3])
        #expect(events.allSatisfy { (300...60_000).contains($0["age_ms"]?.integer ?? 0) }, "\(events)")
        #expect(try next.ask("WITHDRAW a 3").text == "deepLink")
        if isKilled { next.killIt() } else { #expect(next.stop() == 0) }
        let last = try RunningDaemon(keepingIn: folder, ["--durability", "always"])
        #expect(last.waitUntilUp())
        #expect(try last.ask("SEND a deepLink /4").text == "POSTPONED launching")
        #expect(try last.ask("WITHDRAW a 3").isError, "an id is not used again")
        #expect(try last.ask("WITHDRAW a 4").text == "deepLink")
    }

    @Test func `A postponed event that is not understood after a restart sets its session aside`() throws {
        let folder = try Folder()
        let daemon = try RunningDaemon(keepingIn: folder, Self.words)
        #expect(daemon.waitUntilUp())
        _ = try daemon.ask("NEW a startup")
        _ = try daemon.ask("SEND a deepLink /x")
        #expect(daemon.stop() == 0)
        #expect(
            try folder.sql("select waiting from sessions").contains(
                #"{"event":"deepLink","source":"network","postponed":true,"payload":"#))
        try folder.sql("update sessions set waiting = replace(waiting, 'deepLink', 'openLink'), checksum = NULL")
        let next = try RunningDaemon(keepingIn: folder, Self.words)
        #expect(next.waitUntilUp())
        let answer = try next.ask("STATE a")
        #expect(answer.code == .setAside && answer.sentence?.contains("'openLink'") == true, "\(answer)")
    }
}

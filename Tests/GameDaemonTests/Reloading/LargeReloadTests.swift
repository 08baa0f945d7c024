// A reload that changes many sessions spans several turns.

import GameFlow
import TestSupport
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Sessions

@Suite struct `A change of many sessions` {
    @Test func `A change of few sessions with many timers spans turns that serve other clients`() throws {
        func kind(_ length: String) throws -> FlowKind {
            let regions = (0..<800).map { "r\($0): { states: { a: { after: { '\(length)': 'b' } }, b: {} } }" }
            let states = "{ p: { type: 'parallel', states: { \(regions.joined(separator: ", ")) } } }"
            return try .chart(text: "{ id: 'wide', states: \(states) }")
        }
        let daemon = try ReloadingDaemon([try kind("1h")])
        for number in 0..<30 { daemon.say("NEW s\(number) wide") }
        daemon.files.next.kinds = [try kind("2h")]
        let client = try daemon.stepped.connect()
        client.send("RELOAD\r\n")
        var (turns, reply) = (0, "")
        while reply.isEmpty, turns < 1_000 {
            try daemon.stepped.turn()
            (turns, reply) = (turns + 1, client.read() ?? "")
        }
        #expect(turns > 5)
        #expect(reply.contains("wide: changed, 30 sessions continue"), "\(reply)")
    }

    @Test func `A change of 20,000 sessions spans turns that serve other clients, and loses no session`() throws {
        let daemon = try ReloadingDaemon()
        let count = 20_000
        for number in 0..<count { daemon.say("NEW s\(number) shop") }
        for number in stride(from: 0, to: count, by: 2) { daemon.run("SEND s\(number) opens", "SEND s\(number) count") }
        daemon.files.next.kinds = [ReloadingDaemon.new()]
        let client = try daemon.stepped.connect()
        client.send("RELOAD\r\n")
        var (turns, reply) = (0, "")
        while reply.isEmpty, turns < 10_000 {
            try daemon.stepped.turn()
            // A session uses the old definition until it has moved to the new one.
            _ = daemon.say("SEND s\(count - 1) opens")
            (turns, reply) = (turns + 1, client.read() ?? "")
        }
        #expect(turns > 3)
        #expect(
            reply.contains(
                "shop: changed, \(count / 2) sessions continue, \(count / 2) are set aside: 'shop' has no state 'counting'"))
        #expect(daemon.sessions.count == count / 2 && daemon.sessions.setAsideSessions.count == count / 2)
        #expect(Set(daemon.sessions.setAsideSessions.values.map(\.name)).count == count / 2)
        #expect(daemon.say("STATE s\(count - 1)")["state"]?.text == "open")
        var (cursor, listed) = ("0", 0)
        repeat {
            let page = daemon.say("SESSIONS \(cursor) STATE ! COUNT 500").list
            (cursor, listed) = (page.first?.text ?? "0", listed + (page.last?.list.count ?? 0))
        } while cursor != "0"
        #expect(listed == count / 2)
        #expect(
            daemon.reload([ReloadingDaemon.old()]) == [
                "shop: changed, \(count / 2) sessions continue, \(count / 2) are restored"
            ])
        #expect(daemon.sessions.setAsideSessions.isEmpty && daemon.sessions.count == count)
        #expect(daemon.transitions("s0").last == "open count counting")
    }
}

// A session with more timers than one byte counts.

import GameFlow
import MemoryStore
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Sessions

@Suite struct `A session with very many timers` {
    private func daemon(_ store: MemoryStore, timers: Int) throws -> Daemon {
        let timers = (0..<timers).map { "\"\(10_000 + $0)ms\": { name: \"t\($0)\", actions: { emit: \"rung\" } }" }
        let text = "{ id: \"many\", initial: \"a\", states: { a: { after: { \(timers.joined(separator: ", ")) } } } }"
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.chart(text: text)])
        daemon.sessions.expire(by: [ExpiryRule(flow: "many", length: .seconds(90), action: .drop)])
        try daemon.recover(from: store)
        try daemon.loop.turn()
        return daemon
    }

    /// Around the numbers that one byte counts, the daemon's own mark of an expiry included; and as many as a file may have.
    @Test(arguments: [252, 253, 254, 255, 256, 1_000])
    func `A session's timers survive a crash in their order, for any number up to 1,000`(timers: Int) throws {
        let store = MemoryStore()
        do {
            let daemon = try daemon(store, timers: timers)
            let client = LocalClient(of: daemon.host, from: .network)
            daemon.loop.schedule { _ = client.run(["NEW", "s", "many"]) }
            try daemon.loop.turn()
            try #require(daemon.sessions["s"]?.timers.count == timers)
            try #require(eventually { daemon.persistence?.backlogBytes == 0 }, "it is not committed")
        }
        let again = try daemon(store, timers: timers)
        let restored = try #require(again.sessions["s"])
        #expect(restored.timers.map(\.plan.name) == (0..<timers).map { "t\($0)" })
        #expect(restored.timers.map(\.remaining) == (0..<timers).map { .milliseconds(10_000 + $0) })
        #expect(again.sessions.find("s")?.expiry != nil)
    }
}

// Sessions that expire while their flow changes.

import GameFlow
import TestSupport
import Testing
import Timers
@testable import GameDaemon
@testable import Sessions

@Suite struct `A session that expires while its flow changes` {
    private func expiringDaemon() throws -> ReloadingDaemon {
        let daemon = try ReloadingDaemon()
        daemon.sessions.expire(by: [ExpiryRule(flow: "shop", length: .seconds(100), action: .drop)])
        daemon.run("NEW room shop", "ADVANCE 40s")
        return daemon
    }

    private func left(_ daemon: ReloadingDaemon) -> Int? { daemon.say("STATE room")["expires_ms"]?.integer }

    @Test func `A session keeps its remaining time until expiry when its flow changes`() throws {
        let daemon = try expiringDaemon()
        daemon.reload([ReloadingDaemon.new()])
        #expect(left(daemon) == 60_000)
        daemon.run("PAUSE room")
        daemon.reload([ReloadingDaemon.old()])
        daemon.run("ADVANCE 1h")
        #expect(left(daemon) == 100_000)
        daemon.run("RESUME room", "ADVANCE 100s")
        #expect(daemon.say("STATE room").code == .noSession)
    }

    @Test func `A session does not expire while it is set aside, and has its full time once it is restored`() throws {
        let daemon = try expiringDaemon()
        daemon.reload(gone: ["shop"])
        daemon.run("ADVANCE 1h")
        #expect(daemon.say("STATE room").code == .setAside)
        #expect(daemon.say("NEXT").list.isEmpty)
        daemon.reload([ReloadingDaemon.new()])
        #expect(left(daemon) == 100_000)
    }

    @Test func `A session that expires restarts although its changed flow lacks one of its parameters`() throws {
        func oven(_ context: String) throws -> FlowKind {
            try .chart(text: "{ id: 'oven', context: { \(context) }, states: { on: {} } }")
        }
        let daemon = try ReloadingDaemon([try oven("minutes: 60, n: 0")])
        daemon.sessions.expire(by: [ExpiryRule(flow: "oven", length: .seconds(100), action: .restart)])
        daemon.run(#"NEW room oven {"context":{"minutes":30,"n":7}}"#)
        daemon.reload([try oven("n: 0")])
        daemon.run("ADVANCE 100s")
        #expect(daemon.transitions("room") == ["on RESTART on"])
        #expect(daemon.say("STATE room")["context"]?.text == #"{"n":7}"#)
    }
}

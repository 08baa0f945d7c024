// Sessions that expire while their flow changes.

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
}

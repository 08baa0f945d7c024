// The log lines about denied requests.

import Testing
@testable import Commands
@testable import GameDaemon

@Suite struct `Denied requests` {
    @Test func `Repeated denials are summarized after a minute, and the next denial is logged again`() throws {
        let daemon = try DaemonWithTokens("who read")
        _ = try daemon.answers("who", "DROP lobby", "DROP lobby", "DROP room-70", "FORCE lobby second")
        let denials = daemon.stepped.daemon.host.denials
        denials.flush()
        #expect(daemon.logged.contains { $0.contains("refused DROP to who, and 2 more in that minute") }, "\(daemon.logged)")
        #expect(!daemon.logged.contains { $0.contains("FORCE to who, and") })
        _ = try daemon.answers("who", "DROP lobby")
        #expect(daemon.logged.filter { $0.contains("refused DROP to who (") }.count == 2)
    }

    @Test func `Denials for 100,000 addresses write at most 20 log lines`() throws {
        let daemon = try DaemonWithTokens("who read")
        let denials = daemon.stepped.daemon.host.denials
        for number in 0..<100_000 {
            denials.record(.notAuthenticated, to: "10.0.\(number / 256).\(number % 256)", "it", at: "?")
        }
        #expect(daemon.logged.count <= 20, "\(daemon.logged.count)")
    }
}

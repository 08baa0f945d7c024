// The actor of events and operator actions, for each interface of the daemon.

import BuiltInFlows
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import Sessions

@Suite struct `The actor of a client's event` {
    private func actors(of session: String, in daemon: Daemon) -> [String?] {
        guard let session = daemon.sessions.find(session) else { return [] }
        return session.history(50).map { session.actor(of: $0) }
    }

    @Test func `The actor of an event, accepted or refused, is its sender's token`() throws {
        let daemon = try DaemonWithTokens("ann play", "bob play")
        _ = try daemon.answers("ann", "SEND lobby pass", "SEND lobby jump")
        _ = try daemon.answers("bob", "SEND lobby pass")
        #expect(actors(of: "lobby", in: daemon.stepped.daemon) == ["bob", "ann", "ann", "--session"])
    }

    @Test func `The actor changes when the client logs in with another token`() throws {
        let daemon = try DaemonWithTokens("ann play", "bob play")
        _ = try daemon.answers(
            "ann", "SEND lobby pass", "AUTH bob.\(DaemonWithTokens.secret("bob"))", "SEND lobby pass")
        #expect(actors(of: "lobby", in: daemon.stepped.daemon) == ["bob", "ann", "--session"])
    }

    @Test func `The actor is recorded for --session, the console and named clients in the process`() throws {
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Turns.self)])
        try daemon.begin("room", flow: "turns")
        let console = try Console(of: daemon.host, showing: "room") { _ in }
        #expect(console.perform(.pauseOrResume) == nil && console.perform(.pauseOrResume) == nil)
        let client = LocalClient(of: daemon.host, from: .network, named: "ann")
        _ = client.run(["FORCE", "room", "second"])
        _ = client.run(["SEND", "room", "pass"])
        #expect(actors(of: "room", in: daemon) == ["ann", "ann", "console", "console", "--session"])
    }
}

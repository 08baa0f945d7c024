// The actor of each event: the client, session or device that sent it.

import BuiltInFlows
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import GameFlow
@testable import Sessions

@Suite struct `The actor of an event` {
    private func actors(of session: String, in sessions: Sessions) -> [String?] {
        guard let session = sessions.find(session) else { return [] }
        return session.history(50).map { session.actor(of: $0) }
    }

    @Test func `The actor of a session's message, accepted or refused, is that session`() throws {
        let host = MessagingHost()
        host.create("ann", "bob")
        host.perform(in: "ann", ["send": "wasHit", "to": "bob"], ["send": "refuse", "to": "bob"])
        #expect(actors(of: "bob", in: host.sessions).prefix(2) == ["ann", "ann"])
    }

    @Test func `A session that creates a child counts against the actor table's limit for sessions`() throws {
        let host = MessagingHost()
        host.create("ann")
        let before = host.sessions.actors.counts
        host.perform(in: "ann", ["begin": "kid", "flow": "effects"])
        #expect(host.sessions.find("ann/kid") != nil)
        #expect(actors(of: "ann/kid", in: host.sessions) == ["ann"])
        let after = host.sessions.actors.counts
        #expect(after[ActorTable.Kind.known.rawValue] == before[ActorTable.Kind.known.rawValue])
        #expect(after[ActorTable.Kind.session.rawValue] == before[ActorTable.Kind.session.rawValue] + 1)
    }

    @Test func `A guest's events and operator actions count against the actor table's limit for addresses`() throws {
        let host = Host(on: Timekeeper(VirtualClock()), flows: [.flow(Turns.self)], commands: .all)
        let before = host.sessions.actors.counts
        let guest = LocalClient(Client(id: 1, from: .network, grant: .guest, named: "192.0.2.7", of: host))
        for line in ["NEW room turns", "PAUSE room", "SEND room pass", "FORCE room first"] {
            _ = guest.run(line.split(separator: " ").map(String.init))
        }
        #expect(actors(of: "room", in: host.sessions) == ["192.0.2.7", "192.0.2.7", "192.0.2.7", "192.0.2.7"])
        #expect(host.sessions.actors.counts[ActorTable.Kind.address.rawValue] == before[ActorTable.Kind.address.rawValue] + 1)
        #expect(host.sessions.actors.counts[ActorTable.Kind.known.rawValue] == before[ActorTable.Kind.known.rawValue])
    }

    @Test func `An event from a timer has no actor`() throws {
        let host = Host(on: Timekeeper(VirtualClock()), flows: [.flow(Turns.self)], commands: .all)
        let client = LocalClient(of: host, named: "ann")
        for line in ["NEW room turns", "SEND room pass", "ADVANCE 30s", "SEND room pass"] {
            _ = client.run(line.split(separator: " ").map(String.init))
        }
        #expect(actors(of: "room", in: host.sessions) == ["ann", nil, "ann", "ann"])
    }
}

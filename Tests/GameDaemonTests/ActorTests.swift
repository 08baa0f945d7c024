// The actor of each event, from every interface.

import BuiltInFlows
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import GameFlow
@testable import Sessions

@Suite struct `The actor of an event` {
    private func actors(of session: String, in daemon: Daemon) -> [String?] {
        guard let session = daemon.sessions.find(session) else { return [] }
        return session.history(50).map { session.actor(of: $0) }
    }

    @Test func `The actor of an event, accepted or refused, is its sender's token`() throws {
        let daemon = try GuardedDaemon("ann play", "bob play")
        _ = try daemon.answers("ann", "SEND lobby pass", "SEND lobby jump")
        _ = try daemon.answers("bob", "SEND lobby pass")
        #expect(actors(of: "lobby", in: daemon.stepped.daemon) == ["bob", "ann", "ann", "--session"])
    }

    @Test func `The actor changes when the client logs in with another token`() throws {
        let daemon = try GuardedDaemon("ann play", "bob play")
        _ = try daemon.answers(
            "ann", "SEND lobby pass", "AUTH bob.\(GuardedDaemon.secret("bob"))", "SEND lobby pass")
        #expect(actors(of: "lobby", in: daemon.stepped.daemon) == ["bob", "ann", "--session"])
    }

    @Test func `The actor of a device's event is the device`() throws {
        let venue = try Venue()
        _ = venue.say("BLUETOOTH NOTIFY button")
        #expect(actors(of: "hall", in: venue.daemon).first == "button")
    }

    @Test func `The actor of a session's message, accepted or refused, is that session`() throws {
        let office = try PostOffice()
        office.begin("ann", "bob")
        office.ask("ann", ["send": "wasHit", "to": "bob"], ["send": "refuse", "to": "bob"])
        #expect(actors(of: "bob", in: office.daemon).prefix(2) == ["ann", "ann"])
    }

    @Test func `A session that creates a child counts against the actor table's limit for sessions`() throws {
        let office = try PostOffice()
        office.begin("ann")
        let before = office.daemon.sessions.actors.counts
        office.ask("ann", ["begin": "kid", "flow": "postman"])
        #expect(office.daemon.sessions.find("ann/kid") != nil)
        #expect(actors(of: "ann/kid", in: office.daemon) == ["ann"])
        let after = office.daemon.sessions.actors.counts
        #expect(after[ActorTable.Kind.known.rawValue] == before[ActorTable.Kind.known.rawValue])
        #expect(after[ActorTable.Kind.session.rawValue] == before[ActorTable.Kind.session.rawValue] + 1)
    }

    @Test func `A guest's events and operator actions count against the actor table's limit for addresses`() throws {
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Turns.self)])
        let before = daemon.sessions.actors.counts
        let guest = LocalClient(Client(id: 1, from: .network, grant: .guest, named: "192.0.2.7", of: daemon.host))
        for line in ["NEW room turns", "PAUSE room", "SEND room pass", "FORCE room first"] {
            _ = guest.run(line.split(separator: " ").map(String.init))
        }
        #expect(actors(of: "room", in: daemon) == ["192.0.2.7", "192.0.2.7", "192.0.2.7", "192.0.2.7"])
        #expect(daemon.sessions.actors.counts[ActorTable.Kind.address.rawValue] == before[ActorTable.Kind.address.rawValue] + 1)
        #expect(daemon.sessions.actors.counts[ActorTable.Kind.known.rawValue] == before[ActorTable.Kind.known.rawValue])
    }

    @Test func `An event from a timer has no actor`() throws {
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Turns.self)])
        let client = LocalClient(of: daemon.host, named: "ann")
        for line in ["NEW room turns", "SEND room pass", "ADVANCE 30s", "SEND room pass"] {
            _ = client.run(line.split(separator: " ").map(String.init))
        }
        #expect(actors(of: "room", in: daemon) == ["ann", nil, "ann", "ann"])
    }
}

@Suite struct `The table of actors` {
    @Test func `A table of actors maps each name to one number and back`() {
        let table = ActorTable()
        let numbers = (0..<1_000).map { table.number(of: "actor-\($0)") }
        #expect(Set(numbers).count == 1_000)
        #expect((0..<1_000).allSatisfy { table.number(of: "actor-\($0)") == numbers[$0] })
        #expect((0..<1_000).allSatisfy { table.name(numbers[$0]) == "actor-\($0)" })
        #expect(table.name(.none) == nil && table.name(.daemon) == "the daemon")
    }

    @Test func `The table of actors adds tokens after sessions and addresses have reached their limits`() {
        let table = ActorTable()
        for number in 0..<70_000 {
            _ = table.number(of: "session-\(number)", .session)
            _ = table.number(of: "address-\(number)", .address)
        }
        #expect(table.name(table.number(of: "one more", .session)) == "another session")
        #expect(table.name(table.number(of: "::1", .address)) == "another address")
        let numbers = (0..<16_000).map { table.number(of: "token-\($0)") }
        #expect(Set(numbers).count == 16_000 && table.name(numbers[15_999]) == "token-15999")
        #expect(table.name(table.number(of: "token-16000")) == "another client")
        #expect(table.name(table.number(of: "session-7", .session)) == "session-7")
    }

    @Test func `The table of actors truncates a name to 255 bytes`() {
        let table = ActorTable()
        let number = table.number(of: String(repeating: "é", count: 10_000))
        #expect(table.name(number)?.utf8.count ?? 0 <= 255)
        #expect(table.number(of: String(repeating: "é", count: 10_000)) == number)
    }
}

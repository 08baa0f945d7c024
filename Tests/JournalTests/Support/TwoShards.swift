// Two daemons in this process, and the messages between their sessions, which a test delivers.

import GameFlow
import Memory
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Sessions

/// Sessions whose names begin with `b` are in the second, others in the first; children are where their parents are not.
final class TwoShards: MailTransport {
    let daemons: [Daemon]
    private let clients: [LocalClient]
    private(set) var posted: [Message] = []
    /// The error for a sender that is at its limit; nil if it may send.
    var refusal: SessionError?

    init() throws {
        daemons = try (0..<2).map { _ in try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(EffectFlow.self)]) }
        clients = daemons.map { LocalClient(of: $0.host, from: .network) }
        for daemon in daemons {
            daemon.sessions.mail = self
            // No turn is cut short because the machine is busy.
            daemon.loop.watch = VirtualClock()
        }
    }

    private static func place(_ name: String) -> Int { (name.count { $0 == "/" } + (name.hasPrefix("b") ? 1 : 0)) % 2 }

    // MARK: Mail

    func isRemote(_ name: String, from other: String) -> Bool { Self.place(name) != Self.place(other) }

    func refusal(to name: String) -> SessionError? { refusal }

    func post(_ message: Message) { posted.append(message) }

    // MARK: For tests

    func create(_ names: String...) throws { for name in names { try run("NEW", name, "effects") } }

    /// Runs a command in its own turn of the session's daemon.
    func run(_ words: String...) throws { try run(words) }

    func run(_ words: [String]) throws {
        let place = Self.place(words[1])
        daemons[place].loop.schedule { [clients] in _ = clients[place].run(words) }
        try daemons[place].loop.turn()
    }

    func perform(in name: String, _ effects: JSON) throws { try run("SEND", name, "perform", effects.description) }

    /// Applies the first message, decoded from its bytes, in a turn of its receiver's daemon.
    func deliver() throws {
        let message = try Message(bytes: posted.removeFirst().bytes)
        let daemon = daemons[Self.place(message.receiver)]
        daemon.loop.schedule { daemon.sessions.apply(message) }
        try daemon.loop.turn()
    }

    /// Sets the number of messages that have led to the first one.
    func setSteps(_ steps: Int) {
        posted[0] = Message(from: posted[0].sender, to: posted[0].receiver, after: steps, posted[0].content)
    }

    /// Delivers messages until there are none. Returns how many there were.
    @discardableResult
    func deliverAll(atMost most: Int = 10_000) throws -> Int {
        var count = 0
        while !posted.isEmpty, count < most {
            try deliver()
            count += 1
        }
        return count
    }

    subscript(name: String) -> AnyMachine? { daemons[Self.place(name)].sessions[name] }

    func count(_ what: String, of name: String) throws -> Int? { try self[name]?.stateData()["record"]?[what]?.integer }

    func received(_ name: String) throws -> [String] {
        guard case .array(let received)? = try self[name]?.stateData()["record"]?["received"] else { return [] }
        return received.compactMap(\.text).filter { !$0.hasPrefix("I am ") }
    }

    /// Evicts the session and restores it from its image, as if its shard had moved.
    func evictAndRestore(_ name: String) throws {
        let sessions = daemons[Self.place(name)].sessions
        guard let machine = sessions[name] else { return }
        let reference = sessions.reference(to: machine)
        sessions.effects.evict(reference)
        sessions.find(name).map(sessions.effects.registerReturned)
        sessions.relinkReturned()
    }

    /// Sets the session aside, as a change of its flow that it does not fit.
    func setAside(_ name: String) {
        let sessions = daemons[Self.place(name)].sessions
        if let session = sessions.find(name) { _ = sessions.setAside(session, because: "it does not fit") }
    }

    func reinstate(_ name: String) throws {
        let sessions = daemons[Self.place(name)].sessions
        let session = try #require(sessions.setAsideSessions[ByteString(name)], "'\(name)' is not set aside")
        _ = try sessions.reinstate(session, as: try #require(sessions.flow(named: session.flow)))
        sessions.relinkReturned()
    }
}

// Several readers of one session: channels and patterns of one client, clients that come later, and the log.

import BuiltInFlows
import RESP
import Sessions
import Testing
import Timers
@testable import Commands
@testable import Logging

@Suite struct `Several readers of one session` {
    private final class Lines {
        var texts: [String] = []
    }

    private let lines = Lines()
    private let host: Host
    private let sender: LocalClient
    private let client: LocalClient

    init() throws {
        let log = Log(level: .info, style: .dated) { [lines] in
            lines.texts.append(String(decoding: $0, as: UTF8.self))
            return true
        }
        host = Host(on: Timekeeper(VirtualClock()), flows: [.flow(Turns.self)], commands: .all, log: log)
        sender = LocalClient(of: host, from: .network)
        client = LocalClient(of: host)
        _ = sender.run(["NEW", "room", "turns"])
    }

    private func subscribe(_ lines: String...) {
        for line in lines { _ = client.run(line.split(separator: " ").map(String.init)) }
    }

    /// The words before the texts that the client gets for an event of the session, and for its view at the end of the turn.
    private func headsOfAnEvent() -> [String] {
        _ = sender.run(["SEND", "room", "pass"])
        return headsAtTheEndOfTheTurn()
    }

    private func headsAtTheEndOfTheTurn() -> [String] {
        host.subscriptions.endTurn()
        return client.takeReplies().compactMap { reply in
            guard case .push(let words) = reply else { return nil }
            return words.dropLast().compactMap(\.text).joined(separator: " ")
        }
    }

    @Test func `A client gets a message on the sharded channel, then on the plain one, then by its pattern`() {
        subscribe("SUBSCRIBE session:room", "PSUBSCRIBE session:r*", "SSUBSCRIBE session:{room}")
        let pattern = "pmessage session:r* session:room"
        #expect(headsOfAnEvent() == ["smessage session:{room}", "message session:room", pattern])
        subscribe("UNSUBSCRIBE session:room")
        #expect(headsOfAnEvent() == ["smessage session:{room}", pattern])
        subscribe("SUNSUBSCRIBE session:{room}")
        #expect(headsOfAnEvent() == [pattern])
        subscribe("PUNSUBSCRIBE")
        #expect(headsOfAnEvent() == [] && host.subscriptions.count == 0 && !host.sessions.hasObservers)
    }

    @Test func `A client gets a view on the plain channel, then on the sharded one, until it has left both`() {
        subscribe("SSUBSCRIBE view:{room}", "SUBSCRIBE view:room session:room")
        #expect(headsOfAnEvent() == ["message session:room", "message view:room", "smessage view:{room}"])
        subscribe("UNSUBSCRIBE view:room")
        #expect(headsOfAnEvent() == ["message session:room", "smessage view:{room}"])
        subscribe("SUNSUBSCRIBE view:{room}")
        #expect(headsOfAnEvent() == ["message session:room"])
    }

    @Test func `A client that subscribes while the view is pending for another gets the next message`() {
        _ = LocalClient(of: host).run(["SUBSCRIBE", "view:room"])
        _ = sender.run(["SEND", "room", "pass"])
        subscribe("PSUBSCRIBE session:*")
        #expect(headsOfAnEvent() == ["pmessage session:* session:room"])
    }

    @Test func `A client that changes to a token for other sessions and back is sent the view that it missed`() throws {
        func authenticate(_ sessions: String) throws {
            let line = try TokenLine(parsing: "screen read sessions=\(sessions) sha256=\(String(repeating: "0", count: 64))")
            client.client.authenticate(with: Token(line))
        }
        try authenticate("room*")
        subscribe("SUBSCRIBE view:room session:room")
        try authenticate("hall*")
        #expect(headsOfAnEvent() == [])
        try authenticate("room*")
        #expect(headsAtTheEndOfTheTurn() == ["message view:room"])
        #expect(headsOfAnEvent() == ["message session:room", "message view:room"])
    }

    @Test func `The log has each entry at level debug, also while the view is pending for a client`() {
        func entries() -> Int { lines.texts.count { $0.contains("'room' pass from network: taken") } }
        subscribe("SUBSCRIBE view:room")
        for level in [Log.Level.info, .debug, .info, .debug] {
            let before = entries()
            host.setLogLevel(level)
            for _ in 0..<3 { _ = sender.run(["SEND", "room", "pass"]) }
            #expect(entries() - before == (level == .debug ? 3 : 0))
        }
    }
}

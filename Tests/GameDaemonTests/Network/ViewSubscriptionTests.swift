// Pushed views: a snapshot, then the changes. No change is missed, and no view is older than the one before.

import GameFlow
import RESP
import Seeds
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Sessions

/// A subscribed client and the views that it has received.
private final class ViewSubscriber {
    let client: SteppedClient
    private var input = ByteQueue()
    /// Messages, in order of arrival.
    private(set) var views: [(session: String, version: Int?)] = []
    private(set) var bytes = 0

    init(_ stepped: SteppedDaemon, _ line: String) throws {
        client = try stepped.connect()
        client.send(line + "\r\n")
    }

    /// Reads the received bytes. Returns the number of views in them.
    @discardableResult
    func read() throws -> Int {
        let text = Array((client.read() ?? "").utf8)
        text.withUnsafeBytes { input.append($0) }
        bytes += text.count
        var (reader, count) = (ReplyReader(), 0)
        while let next = try reader.next(in: input.bytes) {
            input.consume(next.length)
            guard next.reply.words.first?.hasSuffix("message") == true else { continue }
            let words = Array(next.reply.words.suffix(2))
            let view = try JSON(parsing: words[1])
            let name = String(words[0].dropFirst("view:".count))
            if view != .null { #expect(view["session"]?.text == name) }
            views.append((name, view["version"]?.integer))
            count += 1
        }
        return count
    }

    func forget() { views = [] }

    var texts: [String] { views.map { "\($0.session) \($0.version.map(String.init) ?? "null")" } }
}

extension Reply {
    fileprivate var words: [String] {
        switch self {
        case .array(let parts), .push(let parts): parts.compactMap(\.text)
        default: []
        }
    }
}

extension JSON {
    fileprivate var integer: Int? {
        if case .integer(let number) = self { number } else { nil }
    }
}

@Suite struct `A feed of views` {
    private let stepped: SteppedDaemon
    private let player: SteppedClient

    init() throws {
        stepped = try SteppedDaemon()
        player = try stepped.connect()
    }

    private func begin(_ count: Int) throws {
        for number in 0..<count { try stepped.daemon.begin("s\(number)", flow: "turns") }
    }

    private func send(_ lines: String...) throws {
        player.send(lines.map { $0 + "\r\n" }.joined())
        try stepped.turn(2)
        _ = player.read()
    }

    @Test func `A feed of views starts with the current view, or null if there is no session`() throws {
        try begin(1)
        let subscriber = try ViewSubscriber(stepped, "SUBSCRIBE view:s0 view:nobody")
        try stepped.turn(2)
        try subscriber.read()
        #expect(subscriber.texts == ["s0 0", "nobody null"])
    }

    @Test func `A feed of views sends one view of a session per turn, however often it changes`() throws {
        try begin(2)
        let subscriber = try ViewSubscriber(stepped, "SUBSCRIBE view:s0")
        try stepped.turn(2)
        try subscriber.read()
        try send("SEND s0 pass", "SEND s0 pass", "SEND s1 pass", "SEND s0 pass", "SEND s0 jump")
        try subscriber.read()
        #expect(subscriber.texts == ["s0 0", "s0 3"])
        try send("SEND s0 jump", "SEND s1 pass")
        try stepped.turn(2)
        #expect(try subscriber.read() == 0, "nothing has changed")
    }

    @Test func `A feed of views whose snapshot is in the turn of a change shows the change once`() throws {
        try begin(1)
        for isFirst in [true, false] {
            if !isFirst { player.send("SEND s0 pass\r\n") }
            let subscriber = try ViewSubscriber(stepped, "PSUBSCRIBE view:s*")
            if isFirst { player.send("SEND s0 pass\r\n") }
            try stepped.turn(3)
            try subscriber.read()
            let version = try #require(stepped.daemon.sessions["s0"]).version
            #expect(subscriber.texts == ["s0 \(version)"])
        }
    }

    @Test func `A feed of views sends null for a dropped session, and the view of a new one with its name`() throws {
        try begin(1)
        let subscribers = [try ViewSubscriber(stepped, "SUBSCRIBE view:s0"), try ViewSubscriber(stepped, "PSUBSCRIBE view:*")]
        try stepped.turn(2)
        try send("SEND s0 pass")
        for subscriber in subscribers {
            try subscriber.read()
            subscriber.forget()
        }
        for (line, view) in [("DROP s0", "s0 null"), ("NEW s0 turns", "s0 0")] {
            player.send(line + "\r\n")
            try stepped.turn()
            stepped.daemon.host.feed.sessionDidChange("s0")
            try stepped.turn(2)
            for subscriber in subscribers {
                try subscriber.read()
                #expect(subscriber.texts.last == view)
            }
        }
    }

    /// The oracle is the session itself.
    @Test func `A subscriber has the newest view of each session after every turn`() throws {
        var random = SeededGenerator.announced("views of subscribers", seed: 31)
        try begin(8)
        let lines = ["SUBSCRIBE view:s0 view:s1 view:s2 view:s3 view:s4 view:s5 view:s6 view:s7", "PSUBSCRIBE view:s*"]
        let subscribers = try lines.map { try ViewSubscriber(stepped, $0) }
        for turn in 0..<200 {
            let name = "s\(Int.random(in: 0..<8, using: &random))"
            let isHere = stepped.daemon.sessions[name] != nil
            let event = isHere ? ["SEND \(name) pass", "SEND \(name) jump", "DROP \(name)"] : ["NEW \(name) turns"]
            player.send(event[Int.random(in: 0..<100, using: &random) % event.count] + "\r\n")
            try stepped.turn(3)
            for subscriber in subscribers {
                try subscriber.read()
                let views = Dictionary(subscriber.views.map { ($0.session, $0.version) }) { $1 }
                let truth = (0..<8).map { stepped.daemon.sessions["s\($0)"].map { Int($0.version) } }
                #expect((0..<8).map { views["s\($0)"] ?? nil } == truth, "turn \(turn)")
            }
        }
    }

    @Test func `A feed of views ends with the subscription`() throws {
        try begin(1)
        let subscriber = try ViewSubscriber(
            stepped, "SUBSCRIBE view:s0\r\nPSUBSCRIBE view:*\r\nUNSUBSCRIBE view:s0\r\nPUNSUBSCRIBE")
        try stepped.turn(2)
        try send("SEND s0 pass")
        #expect(try subscriber.read() == 0)
        #expect(stepped.daemon.connections.bytes < 200_000)
    }

    @Test func `A feed of 3,000 sessions spans many turns, and misses or reorders no change meanwhile`()
        throws
    {
        try begin(3_000)
        let subscriber = try ViewSubscriber(stepped, "PSUBSCRIBE view:*")
        var (turns, number) = (0, 0)
        repeat {
            // Behind the cursor, ahead of it, and anywhere.
            for session in [turns, 2_999 - turns, (number &* 7_919) % 3_000] { player.send("SEND s\(session) pass\r\n") }
            try stepped.turn()
            number += 1
            turns += 1
            #expect(player.read()?.isEmpty == false, "others are answered in each turn")
            try subscriber.read()
        } while subscriber.views.count < 3_000 && turns < 1_000
        try stepped.turn(20)
        try subscriber.read()
        #expect(turns > 5)
        var latest: [String: Int] = [:]
        for (session, version) in subscriber.views {
            let version = try #require(version)
            #expect(version >= latest[session] ?? 0, "\(session)")
            latest[session] = version
        }
        #expect(stepped.daemon.sessions.all.allSatisfy { latest[$0.name] == Int($0.machine.version) })
        #expect(subscriber.views.count < 3_000 + 3 * turns + 100)
    }

    @Test func `A feed to a slow client is bounded, and ends with the newest view of each session`() throws {
        try begin(2_000)
        let subscriber = try ViewSubscriber(stepped, "PSUBSCRIBE view:*")
        for _ in 0..<40 {
            player.send("ADVANCE 30s\r\n")
            repeat { try stepped.turn() } while player.read() == ""
            #expect(stepped.daemon.connections.bytes < 2 << 20)
        }
        #expect(stepped.daemon.connections.count == 2)
        for _ in 0..<500 {
            try stepped.turn()
            try subscriber.read()
        }
        var latest: [String: Int] = [:]
        for (session, version) in subscriber.views { latest[session] = version }
        #expect(stepped.daemon.sessions.all.allSatisfy { latest[$0.name] == Int($0.machine.version) })
        #expect(subscriber.views.count < 8_000, "of 80,000 changes: \(subscriber.views.count)")
    }

    @Test func `A feed of views sends nothing until the sessions are restored`() throws {
        try begin(1)
        stepped.daemon.host.isLoading = true
        let subscriber = try ViewSubscriber(stepped, "SUBSCRIBE view:s0")
        try stepped.turn(3)
        #expect(try subscriber.read() == 0)
        stepped.daemon.host.isLoading = false
        try stepped.turn(2)
        try subscriber.read()
        #expect(subscriber.texts == ["s0 0"])
    }
}

// SUBSCRIBE … SINCE: a reconnecting client gets the messages that it missed, or a gap for discarded ones.

import BuiltInFlows
import GameFlow
import RESP
import Testing
import Timers
@testable import Commands
@testable import Sessions

@Suite struct `SUBSCRIBE with SINCE` {
    private let host: Host
    private let sender: LocalClient
    private let listener: LocalClient

    init() throws { try self.init(history: 1_000) }

    private init(history: Int) throws {
        var limits = Limits()
        try limits.set("history", to: "\(history)")
        host = Host(on: Timekeeper(VirtualClock()), flows: [.flow(Turns.self)], commands: .all, limits: limits)
        sender = LocalClient(of: host, from: .network)
        listener = LocalClient(of: host)
        _ = listener.run(["SUBSCRIBE", "session:room"])
        _ = sender.run(["NEW", "room", "turns"])
    }

    /// The messages among these replies, as JSON.
    private func messages(_ replies: [Reply]) throws -> [JSON] {
        try replies.compactMap { reply in
            guard case .push(let parts) = reply, parts.count == 3, parts[0].text == "message" else { return nil }
            return try JSON(parsing: try #require(parts[2].text))
        }
    }

    private func subscribe(_ words: String...) throws -> [JSON] {
        try messages(LocalClient(of: host).run(["SUBSCRIBE"] + words))
    }

    @Test func `SINCE sends the messages that a continuous subscriber has received`() throws {
        for step in 0..<30 { _ = sender.run(step % 3 == 2 ? ["ADVANCE", "7s"] : ["SEND", "room", "pass"]) }
        let all = try messages(listener.takeReplies())
        let life = try #require(all.first?["life"]?.integer)
        #expect(all.count > 20)
        for seq in 0...all.count {
            let missed = try subscribe("session:room", "SINCE", "\(life):\(seq)")
            #expect(missed == Array(all.dropFirst(seq)), "since \(seq)")
        }
        #expect(try subscribe("session:room", "since", "\(all.count - 1)") == Array(all.suffix(1)))
    }

    @Test func `A subscription with SINCE receives later messages`() throws {
        let client = LocalClient(of: host)
        _ = client.run(["SUBSCRIBE", "session:room", "SINCE", "1"])
        _ = sender.run(["SEND", "room", "pass"])
        #expect(try messages(client.takeReplies()).map { $0["seq"]?.integer } == [2])
    }

    @Test func `SINCE is refused while sessions are being restored, and subscribes to nothing`() throws {
        let client = LocalClient(of: host)
        (host.isLoading, host.unavailability) = (true, CommandError(.loading, "sessions are being restored"))
        let refused = client.run(["SUBSCRIBE", "session:room", "SINCE", "1"])
        #expect(refused == [.error(code: .loading, text: "sessions are being restored")])
        #expect(host.subscriptions.count == 1, "only the listener's")
        #expect(client.run(["SUBSCRIBE", "session:room"]).count == 1)
        (host.isLoading, host.unavailability) = (false, nil)
        #expect(try messages(client.run(["SUBSCRIBE", "session:room", "SINCE", "0"])).map { $0["what"]?.text } == ["begun"])
    }

    @Test func `SINCE sends a gap first if its number is no longer kept`() throws {
        let world = try Self(history: 16)
        for _ in 0..<100 { _ = world.sender.run(["SEND", "room", "pass"]) }
        let all = try world.subscribe("session:room", "SINCE", "0").filter { $0["what"] != "gap" }
        let kept = try #require(all.first?["seq"]?.integer)
        #expect((2...93).contains(kept) && all.compactMap { $0["seq"]?.integer } == Array(kept...101))
        for known in 0...101 {
            let told = try world.subscribe("session:room", "SINCE", "\(known)")
            #expect((told.first?["what"] == "gap") == (kept > known + 1), "\(known)")
            #expect(told.filter { $0["what"] != "gap" } == Array(all.dropFirst(max(0, known + 1 - kept))), "\(known)")
        }
    }

    @Test func `SINCE sends a gap and the whole new life if the session was restarted`() throws {
        let life = try #require(try messages(listener.takeReplies()).first?["life"]?.integer)
        _ = sender.run(["SEND", "room", "pass"])
        _ = sender.run(["RESTART", "room"])
        let told = try subscribe("session:room", "SINCE", "\(life):1")
        #expect(told.map { $0["what"] } == ["gap", "begun"] && told.map { $0["seq"]?.integer } == [0, 1])
    }

    @Test func `SINCE sends a gap if the session was dropped or never had that number`() throws {
        #expect(try subscribe("session:room", "SINCE", "9").map { $0["what"] } == ["gap"])
        _ = sender.run(["DROP", "room"])
        #expect(try subscribe("session:room", "SINCE", "1").map { $0["what"] } == ["gap"])
    }

    @Test func `The page and the wire miss entries of another life, and after a number that the session never had`() throws {
        _ = sender.run(["SEND", "room", "pass"])
        let session = try #require(host.sessions.find("room"))
        func missed(after seq: UInt32, of life: Life?) -> [Int]? {
            let entries = session.entries(after: seq, ofLife: life, atMost: 50, at: 0)
            return entries.isComplete ? entries.texts.map(\.seq) : nil
        }
        for life in [nil, session.life] {
            #expect(missed(after: 0, of: life) == [1, 2] && missed(after: 1, of: life) == [2])
            #expect(missed(after: 2, of: life) == [] && missed(after: 3, of: life) == nil)
        }
        #expect(missed(after: 0, of: session.life + 1) == nil && missed(after: 2, of: session.life + 1) == nil)
        #expect(session.entries(after: 2, ofLife: session.life + 1, atMost: 50, at: 0).texts.map(\.seq) == [1, 2])
    }

    @Test func `SINCE sends a repeated entry with its count and its last number`() throws {
        for _ in 0..<3 { _ = sender.run(["SEND", "room", "fly"]) }
        let told = try subscribe("session:room", "SINCE", "2")
        #expect(told.count == 1 && told.first?["seq"] == 2 && told.first?["times"] == 3 && told.first?["last_seq"] == 4)
    }

    @Test func `SINCE sends alternating refusals in the order of seq, and the highest last_seq resumes after all`() throws {
        for event in ["fly", "swim", "fly", "swim", "fly"] { _ = sender.run(["SEND", "room", event]) }
        let told = try subscribe("session:room", "SINCE", "1")
        #expect(told.map { $0["seq"]?.integer } == [2, 3] && told.map { $0["last_seq"]?.integer } == [6, 5])
        #expect(try subscribe("session:room", "SINCE", "5").map { $0["seq"]?.integer } == [2])
        #expect(try subscribe("session:room", "SINCE", "6").isEmpty)
    }

    @Test(arguments: [
        "session:room session:hall SINCE 1", "view:room SINCE 1", "session:room SINCE x", "session:room SINCE 1:",
        "session:room SINCE -1", "session:room SINCE",
        "session:room SINCE 1 session:hall",
    ])
    func `SINCE with several channels, a view or no number is refused, and subscribes to nothing`(line: String) throws {
        let client = LocalClient(of: host)
        let reply = client.run(["SUBSCRIBE"] + line.split(separator: " ").map(String.init)).last
        guard case .error(.generic, _) = reply else { return #expect(Bool(false), "\(String(describing: reply))") }
        #expect(!client.client.isSubscribed)
    }

    @Test func `SINCE within MULTI is refused`() throws {
        let client = LocalClient(of: host)
        for words in [["MULTI"], ["SUBSCRIBE", "session:room", "SINCE", "1"]] { _ = client.run(words) }
        guard case .array(let replies) = client.run(["EXEC"]).last, case .error(_, let text)? = replies.first else {
            return #expect(Bool(false))
        }
        #expect(text.contains("SINCE cannot be used within MULTI"))
    }

    @Test func `SINCE sends only the newest messages that fit into half of the output`() throws {
        for _ in 0..<50 { _ = sender.run(["SEND", "room", "pass"]) }
        host.limits.outputBytes = 4_096
        let told = try subscribe("session:room", "SINCE", "0")
        let numbers = told.compactMap { $0["seq"]?.integer }
        #expect(told.first?["what"] == "gap" && numbers.count < 20 && numbers.last == 51)
        #expect(numbers == Array((51 - numbers.count + 1)...51), "\(numbers)")
    }
}

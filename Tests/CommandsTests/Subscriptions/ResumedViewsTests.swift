// PSUBSCRIBE … SINCE: a reconnecting client gets the views that have changed meanwhile, or a gap.

import BuiltInFlows
import GameFlow
import RESP
import Seeds
import Testing
import Timers
@testable import Commands

/// A client that stores the views that it receives over all of its connections.
private final class Screen {
    private let host: Host
    private var client: LocalClient?
    /// The version of each session's view.
    private(set) var versions: [String: Int] = [:]
    private(set) var position = "0"
    private(set) var gaps = 0
    private(set) var views = 0

    init(of host: Host) { self.host = host }

    func connect(_ words: [String]? = nil, isReading: Bool = true) throws {
        let client = LocalClient(of: host)
        self.client = client
        _ = client.run(words ?? ["PSUBSCRIBE", "view:s*", "SINCE", position])
        if isReading { try read() }
    }

    /// The memory of what is still to be sent.
    var pendingBytes: Int { client?.client.stateBytes ?? 0 }

    func disconnect() {
        _ = client?.run(["PUNSUBSCRIBE"])
        client = nil
    }

    /// Reads over more turns than tens of thousands of views take.
    func readAll() throws {
        for _ in 0..<200 {
            if let client { host.subscriptions.resumeSending(to: client.client) }
            try read()
        }
    }

    /// Reads until the end of the turn.
    func read() throws {
        for _ in 0..<3 { host.subscriptions.endTurn() }
        for case .push(let parts) in client?.takeReplies() ?? [] where parts.first?.text == "pmessage" {
            let (channel, message) = (try #require(parts[2].text), try JSON(parsing: try #require(parts[3].text)))
            switch message["what"] {
            case "gap": (versions, gaps) = ([:], gaps + 1)
            case "position": position = try #require(message["since"]?.text)
            default:
                versions[String(channel.dropFirst("view:".count))] = message["version"]?.integer
                views += 1
            }
            #expect(message["what"] == nil || channel == "view:s*")
        }
    }
}

@Suite struct `PSUBSCRIBE with SINCE` {
    private let host: Host
    private let sender: LocalClient
    private let screen: Screen

    init() throws {
        host = Host(on: Timekeeper(VirtualClock()), flows: [.flow(Turns.self)], commands: .all)
        sender = LocalClient(of: host, from: .network)
        screen = Screen(of: host)
        for number in 0..<5 { _ = sender.run(["NEW", "s\(number)", "turns"]) }
    }

    private var truth: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: host.sessions.all.filter { $0.name.hasPrefix("s") }.map {
                ($0.name, Int($0.machine.version))
            })
    }

    @Test func `A client without a position is sent a gap, all views and a position`() throws {
        try screen.connect()
        #expect(screen.versions == truth && screen.views == 5 && screen.gaps == 1)
        #expect(screen.position != "0")
    }

    @Test(arguments: [["PSUBSCRIBE", "view:s*"], ["PSUBSCRIBE", "view:s*", "SINCE", "0"]])
    func `A subscriber of a pattern is sent that each of thousands of sessions is gone`(words: [String]) throws {
        for number in 5..<6_000 { _ = sender.run(["NEW", "s\(number)", "turns"]) }
        try screen.connect(words)
        try screen.readAll()
        #expect(screen.versions.count == 6_000)
        for number in 0..<6_000 { _ = sender.run(["DROP", "s\(number)"]) }
        try screen.readAll()
        #expect(screen.versions.isEmpty)
    }

    @Test func `A client that reconnects after tens of thousands of drops is sent each of them`() throws {
        try screen.connect()
        for number in 5..<20_000 { _ = sender.run(["NEW", "s\(number)", "turns"]) }
        try screen.readAll()
        #expect(screen.versions.count == 20_000)
        screen.disconnect()
        for number in 0..<20_000 { _ = sender.run(["DROP", "s\(number)"]) }
        try screen.connect()
        try screen.readAll()
        #expect(screen.versions.isEmpty)
    }

    @Test func `A client that reconnects after thousands of drops holds few of their names at once`() throws {
        try screen.connect()
        for number in 5..<6_000 { _ = sender.run(["NEW", "s\(number)", "turns"]) }
        try screen.readAll()
        screen.disconnect()
        for number in 0..<6_000 { _ = sender.run(["DROP", "s\(number)"]) }
        try screen.connect(isReading: false)
        for _ in 0..<200 {
            #expect(screen.pendingBytes < 20_000)
            try screen.read()
        }
        #expect(screen.versions.isEmpty && screen.gaps == 1)
    }

    @Test func `A client is sent a gap and all views if drops that it has missed are forgotten before it reads them`() throws {
        try screen.connect()
        screen.disconnect()
        _ = sender.run(["DROP", "s0"])
        try screen.connect(isReading: false)
        for _ in 0...Changes.capacity / 2 {
            _ = sender.run(["NEW", "other", "turns"])
            _ = sender.run(["DROP", "other"])
        }
        try screen.read()
        #expect(screen.versions == truth && screen.gaps == 2)
    }

    @Test func `A reconnecting client is sent the views that have changed since its position, and no others`() throws {
        try screen.connect()
        screen.disconnect()
        for words in [["SEND", "s1", "pass"], ["DROP", "s2"], ["NEW", "s9", "turns"], ["NEW", "other", "turns"]] {
            _ = sender.run(words)
        }
        try screen.connect()
        #expect(screen.versions == truth && screen.views == 5 + 3 && screen.gaps == 1)
        _ = sender.run(["SEND", "s4", "pass"])
        try screen.read()
        #expect(screen.versions == truth && screen.views == 5 + 4)
    }

    @Test func `A reconnecting client is sent only its position if nothing has changed`() throws {
        try screen.connect()
        screen.disconnect()
        let position = screen.position
        try screen.connect()
        #expect(screen.views == 5 && screen.gaps == 1 && screen.position == position)
    }

    @Test(arguments: ["0", "x", "1-1", "-", "abc-17"]) func `An unknown position is answered with a gap and all views`(
        position: String
    ) throws {
        try screen.connect(["PSUBSCRIBE", "view:s*", "SINCE", position])
        #expect(screen.versions == truth && screen.gaps == 1)
    }

    @Test func `A position of another process, or a future one, is answered with a gap`() throws {
        try screen.connect()
        let boot = try #require(screen.position.split(separator: "-").first)
        for position in ["\(boot)-999999999", "\(boot)-", "\(boot)-x", "\(boot)1-1"] {
            screen.disconnect()
            let before = screen.gaps
            try screen.connect(["PSUBSCRIBE", "view:s*", "SINCE", position])
            #expect(screen.gaps == before + 1, "\(position)")
        }
    }

    /// The oracle is the sessions themselves.
    @Test func `A client that reconnects at random always has the newest views, without further gaps`() throws {
        var random = SeededGenerator.announced("views of a client that comes and goes", seed: 47)
        let other = Screen(of: host)
        var isConnected = false
        for step in 0..<600 {
            let name = "s\(Int.random(in: 0..<8, using: &random))"
            let isHere = host.sessions[name] != nil
            let words =
                isHere ? [["SEND", name, "pass"], ["DROP", name], ["SEND", name, "nonsense"]] : [["NEW", name, "turns"]]
            _ = sender.run(words.randomElement(using: &random) ?? [])
            if step % 50 == 10 { try other.connect(["PSUBSCRIBE", "view:s1"]) }
            if step % 50 == 30 { other.disconnect() }
            if Int.random(in: 0..<4, using: &random) == 0 {
                if isConnected { screen.disconnect() } else { try screen.connect() }
                isConnected.toggle()
            }
            guard isConnected else { continue }
            try screen.read()
            #expect(screen.versions == truth, "step \(step)")
        }
        #expect(screen.gaps == 1)
    }

    @Test func `A client without SINCE is sent no position`() throws {
        try screen.connect(["PSUBSCRIBE", "view:s*"])
        #expect(screen.versions == truth && screen.gaps == 0 && screen.position == "0")
    }

    @Test(arguments: ["session:* SINCE 0", "view:a view:b SINCE 0", "view:a SINCE", "view:a SINCE 0 view:b", "a SINCE 0"])
    func `SINCE with several patterns, messages or no position is refused, and subscribes to nothing`(
        line: String
    ) throws {
        let client = LocalClient(of: host)
        guard case .error? = client.run(["PSUBSCRIBE"] + line.split(separator: " ").map(String.init)).last else {
            return #expect(Bool(false), "\(line) was accepted")
        }
        #expect(host.subscriptions.count == 0)
    }
}

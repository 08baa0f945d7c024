// Patterns found by an index, against all patterns compared one by one.

import Memory
import RESP
import Seeds
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Network

@Suite struct `The index of patterns` {
    @Test(arguments: 0..<20) func `The index of patterns finds exactly the patterns that match`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func text(_ letters: [String], _ count: Int) -> String {
            (0..<Int.random(in: 1...count, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }.joined()
        }
        let patterns = Set((0..<300).map { _ in "session:" + text(["a", "b", "ab", "*", "?", "[ab]", "\\a"], 5) })
        let client = LocalClient(of: try SteppedDaemon().daemon.host)
        let index = client.client.host.feed.patterns
        for pattern in patterns { #expect(client.run(["PSUBSCRIBE", pattern]).count == 1) }
        for pattern in patterns.sorted().prefix(50) { _ = client.run(["PUNSUBSCRIBE", pattern]) }
        let left = Set(patterns.sorted().dropFirst(50))
        for _ in 0..<200 {
            let name = text(["a", "b", "c", "ba"], 6)
            for _ in 0..<2 {
                let found = index.matching(ByteString("session:" + name), of: ByteString(name))
                #expect(Set(found.map(\.name.text)) == left.filter { Glob($0).matches("session:" + name) })
            }
        }
    }

    @Test func `The index compares few of 10,000 patterns that do not match, and none at the next event`() throws {
        let host = try SteppedDaemon().daemon.host
        host.limits.patternPieces = 1 << 20
        let client = LocalClient(of: host)
        for number in 0..<10_000 { #expect(client.run(["PSUBSCRIBE", "session:*x\(number)*"]).count == 1) }
        let (channel, name): (ByteString, ByteString) = ("session:room-7", "room-7")
        let patterns = host.feed.patterns
        #expect(patterns.matching(channel, of: name).isEmpty)
        let compared = patterns.comparisons
        #expect(compared < 500, "\(compared)")
        #expect(patterns.matching(channel, of: name).isEmpty)
        #expect(patterns.comparisons == compared)
    }

    @Test func `The index rules out patterns whose letters a name has in another order`() throws {
        let host = try SteppedDaemon().daemon.host
        host.limits.patternPieces = 1 << 20
        let client = LocalClient(of: host)
        for number in 0..<10_000 { #expect(client.run(["PSUBSCRIBE", "session:*r\(number)*"]).count == 1) }
        #expect(host.feed.patterns.matching("session:room-0123456789", of: "room-0123456789").isEmpty)
        #expect(host.feed.patterns.comparisons < 2_000, "\(host.feed.patterns.comparisons)")
    }

    @Test func `Each of a client's patterns of views is sent until that pattern is removed`() throws {
        let host = try SteppedDaemon().daemon.host
        let (client, sender) = (LocalClient(of: host), LocalClient(of: host))
        var patterns = (0..<6).map { "view:room\($0)*" }
        for number in 0..<6 { _ = sender.run(["NEW", "room\(number)", "turns"]) }
        _ = client.run(["PSUBSCRIBE"] + patterns)
        func heard() -> Set<String> {
            for number in 0..<6 { _ = sender.run(["SEND", "room\(number)", "pass"]) }
            for _ in 0..<3 { host.subscriptions.endTurn() }
            return Set(
                client.takeReplies().compactMap { reply in
                    if case .push(let parts) = reply, parts.first?.text == "pmessage" { parts[1].text } else { nil }
                })
        }
        #expect(heard() == Set(patterns))
        for removed in [0, 4, 2, 0, 1, 0] {
            _ = client.run(["PUNSUBSCRIBE", patterns.remove(at: removed)])
            #expect(heard() == Set(patterns))
        }
    }

    @Test func `The patterns of a client that sends its token again stay where they are`() throws {
        let guarded = try DaemonWithTokens("room read sessions=room-*")
        let (client, patterns) = (try guarded.stepped.connect(at: .tcp), guarded.stepped.daemon.host.feed.patterns)
        let token = "AUTH room.\(DaemonWithTokens.secret("room"))\r\n"
        client.send(token + "HELLO 3\r\nPSUBSCRIBE session:*\r\n")
        try guarded.stepped.turn(3)
        #expect(patterns.matching("session:room-7", of: "room-7").count == 1 && patterns.comparisons == 1)
        _ = client.read()
        client.send(token)
        try guarded.stepped.turn(3)
        #expect(patterns.matching("session:room-7", of: "room-7").count == 1 && patterns.comparisons == 1)
        let reply = client.read()
        #expect(reply == "+OK\r\n", "\(reply ?? "closed")")
    }

    @Test func `The index of patterns applies a client's new token`() throws {
        let guarded = try DaemonWithTokens("room read sessions=room-*", "hall read sessions=lobby")
        let client = try guarded.stepped.connect(at: .tcp)
        client.send("AUTH room.\(DaemonWithTokens.secret("room"))\r\nHELLO 3\r\nPSUBSCRIBE session:*\r\n")
        try guarded.stepped.turn(3)
        client.send("AUTH hall.\(DaemonWithTokens.secret("hall"))\r\n")
        try guarded.stepped.turn(2)
        _ = client.read()
        let master = LocalClient(of: guarded.stepped.daemon.host)
        _ = master.run(["SEND", "room-70", "pass"])
        _ = master.run(["SEND", "lobby", "pass"])
        try guarded.stepped.turn(2)
        let heard = client.read() ?? ""
        #expect(heard.contains("session:lobby"))
        #expect(!heard.contains("room-70"))
        client.send("PUNSUBSCRIBE\r\n")
        try guarded.stepped.turn(2)
        #expect(guarded.stepped.daemon.host.feed.patterns.isEmpty)
    }
}

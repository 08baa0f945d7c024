// Clients of one token, and their share of connections and patterns.

import Testing
@testable import Commands
@testable import GameDaemon

@Suite struct `A read-only token without sessions` {
    private func daemon(_ change: @escaping (inout Limits) -> Void) throws -> DaemonWithTokens {
        let guarded = try DaemonWithTokens("a read sessions=none-*", "b read", "root master")
        change(&guarded.stepped.daemon.host.limits)
        return guarded
    }

    @Test func `A read-only token can use half of all connections, and other clients still connect`() throws {
        let guarded = try daemon { $0.connections = 20 }
        func clients(_ id: String, _ count: Int) throws -> (open: [SteppedClient], refused: Int) {
            var (open, refused): ([SteppedClient], Int) = ([], 0)
            for _ in 0..<count {
                let client = try guarded.stepped.connect(at: .tcp)
                client.send("AUTH \(id).\(DaemonWithTokens.secret(id))\r\n")
                try guarded.stepped.turn(2)
                let said = client.read() ?? ""
                if said == "+OK\r\n" { open.append(client) } else { refused += 1 }
            }
            return (open, refused)
        }
        let mine = try clients("a", 15)
        #expect((mine.open.count, mine.refused) == (10, 5))
        // If the test's connections have an address, the address has a share, too.
        #expect(try clients("root", 3).open.count == 3)
        let local = try guarded.stepped.connect()
        local.send("PING\r\n")
        try guarded.stepped.turn(2)
        #expect(local.read() == "+PONG\r\n")
    }

    @Test func `A read-only token can use half of the pattern pieces, and its patterns slow no event`() throws {
        let guarded = try daemon { $0.patternPieces = 20_000 }
        let stepped = guarded.stepped
        let client = try stepped.connect(at: .tcp)
        client.send("AUTH a.\(DaemonWithTokens.secret("a"))\r\n")
        try stepped.turn(2)
        #expect(client.read() == "+OK\r\n")
        for number in 0..<10_000 {
            client.send("PSUBSCRIBE session:*x\(number)\r\n")
            if number % 100 == 0 { try stepped.turn(2) }
        }
        try stepped.turn(20)
        #expect(client.read()?.contains("-LIMIT the token 'a' uses") == true, "its share is used up")
        let root = LocalClient(of: stepped.daemon.host)
        #expect(root.run(["PSUBSCRIBE", "session:*" + String(repeating: "y", count: 500)]).count == 1)
        _ = root.run(["PUNSUBSCRIBE"])
        let before = stepped.daemon.host.feed.patterns.comparisons
        let master = LocalClient(of: stepped.daemon.host)
        for _ in 0..<10 { #expect(master.run(["SEND", "lobby", "pass"]).count == 1) }
        #expect(stepped.daemon.host.feed.patterns.comparisons == before, "no pattern was compared with the session")
    }
}

// Bounds that clients share: a share for each token and address, and a reserve.

import Foundation
import RESP
import TestSupport
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Network
@testable import Simulation

private func token(_ id: String, _ role: Role = .read) throws -> Token {
    Token(try TokenLine(id: id, role: role, secret: GuardedDaemon.secret(id)))
}

private func consumer(_ id: String, at machine: String, _ role: Role = .read) throws -> Consumer {
    let token = try token(id, role)
    return Consumer(token.grant, token, machine: machine)
}

@Suite struct `A bound that clients share` {
    private static let bound = 200

    /// Adds as often as the bound allows for a consumer. Returns the number of additions.
    private func fill(_ count: inout ShareCount, _ consumer: Consumer) -> Int {
        var added = 0
        while added <= Self.bound, (try? count.check(consumer, of: Self.bound, Limits())) != nil {
            count.add(consumer)
            added += 1
        }
        return added
    }

    @Test(arguments: SharedBound.allCases)
    func `A bound that clients share has a share for each token and address, and a reserve`(_ bound: SharedBound) throws {
        var count = ShareCount(bound)
        #expect(fill(&count, try consumer("a", at: "10.0.0.1")) == 100)
        #expect(fill(&count, try consumer("a", at: "10.0.0.2")) == 0, "the token has its share")
        #expect(fill(&count, try consumer("b", at: "10.0.0.1")) == 0, "the address has its share")
        #expect(fill(&count, try consumer("b", at: "10.0.0.2")) == 90, "the rest is reserved")
        #expect(fill(&count, Consumer(Grant(name: "ann", role: .play), user: "ann")) == 10, "a user of the UNIX socket")
        #expect(count.total == Self.bound)
        count.remove(try consumer("b", at: "10.0.0.2"))
        #expect(fill(&count, try consumer("root", at: "10.0.0.1", .master)) == 1, "an administrator, from the same address")
    }

    @Test(arguments: SharedBound.allCases)
    func `A shared bound displaces entries of the consumer above its share first`(_ bound: SharedBound) throws {
        let (root, greedy, quiet) = (Consumer.privileged, try consumer("a", at: "10.0.0.1"), try consumer("b", at: "10.0.0.2"))
        let entries = [root] + Array(repeating: quiet, count: 3) + Array(repeating: greedy, count: 6)
        var displacement = Displacement(entries.map { ($0, 1) }, of: bound, 8, Limits())
        let order = (0..<10).map { _ in displacement.pop() }
        #expect(order == [4, 5, 1, 2, 3, 6, 7, 8, 9, 0])
        #expect(displacement.pop() == nil)
    }

    @Test func `Every shared bound is in the operations guide's table`() throws {
        let text = try String(contentsOf: packageRoot.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
        for bound in SharedBound.allCases { #expect(text.contains("\n| \(bound.rawValue) |"), "\(bound)") }
    }

    @Test func `A share of a bound is rounded so that one client always gets one, and nothing overflows`() {
        let limits = Limits()
        let shares = [1, 2, 3, 100, 101].map { limits.share(of: $0) }
        #expect(shares == [1, 1, 2, 50, 51])
        let reserves = [1, 19, 20, 100, 1 << 40].map { limits.reserve(of: $0) }
        #expect(reserves == [0, 0, 1, 5, (1 << 40) / 20])
    }

    @Test func `The addresses of an IPv6 network count as one`() {
        #expect(ShareHolder(machine: "2001:db8::1") == ShareHolder(machine: "2001:db8::2"))
        #expect(ShareHolder(machine: "::ffff:10.0.0.7") == ShareHolder(machine: "10.0.0.7"))
        #expect(ShareHolder(machine: "10.0.0.7") != ShareHolder(machine: "10.0.0.8"))
    }
}

@Suite struct `A read-only token without sessions` {
    private func daemon(_ change: @escaping (inout Limits) -> Void) throws -> GuardedDaemon {
        let guarded = try GuardedDaemon("a read sessions=none-*", "b read", "root master")
        change(&guarded.stepped.daemon.host.limits)
        return guarded
    }

    @Test func `A read-only token can use half of all connections, and other clients still connect`() throws {
        let guarded = try daemon { $0.connections = 20 }
        func clients(_ id: String, _ count: Int) throws -> (open: [SteppedClient], refused: Int) {
            var (open, refused): ([SteppedClient], Int) = ([], 0)
            for _ in 0..<count {
                let client = try guarded.stepped.connect(at: .tcp)
                client.send("AUTH \(id).\(GuardedDaemon.secret(id))\r\n")
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
        client.send("AUTH a.\(GuardedDaemon.secret("a"))\r\n")
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
        let before = stepped.daemon.host.subscriptions.patterns.comparisons
        let master = LocalClient(of: stepped.daemon.host)
        for _ in 0..<10 { #expect(master.run(["SEND", "lobby", "pass"]).count == 1) }
        #expect(stepped.daemon.host.subscriptions.patterns.comparisons == before, "no pattern was compared with the session")
    }
}

// Bounds that clients share: a share for each token and address, and a reserve.

import Foundation
import TestSupport
import Testing
@testable import Commands

private func token(_ id: String, _ role: Role = .read) throws -> Token {
    Token(try TokenLine(id: id, role: role, secret: String(repeating: "\(id)-", count: 16)))
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

// Logins of browsers, and their limit for one token.

import Testing
@testable import Commands
@testable import Web

@Suite struct `Browsers that have logged in` {
    @Test func `Logins with one token log out no browser with another token or a link`() throws {
        let tokens = TokenTable(
            try ["greedy", "quiet"].map { try TokenLine(id: $0, role: .read, secret: "a-secret-of-\($0)-that-is-long") })
        let logins = Logins(file: nil, limits: { Limits() }) { way in
            switch way {
            case .link: .privileged
            case .guest: .nobody
            case .token(let id, _): tokens[id].map { Consumer($0.grant, $0, machine: nil) } ?? .nobody
            }
        } complain: {
            Issue.record("\($0)")
        }
        let screen = logins.add(.token(try #require(tokens["quiet"])))
        let desk = try #require(logins.logIn(link: "\(logins.newLink())"))
        let first = logins.add(.token(try #require(tokens["greedy"])))
        for _ in 0..<600 { _ = logins.add(.token(try #require(tokens["greedy"]))) }
        #expect(logins.identity(of: "\(screen)") != nil)
        #expect(logins.identity(of: "\(desk)") == .link)
        #expect(logins.identity(of: "\(first)") == nil)
        #expect(logins.count == Logins.max)
    }
}

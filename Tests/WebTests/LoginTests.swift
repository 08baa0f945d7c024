// Logins of browsers: their limit for one token, and their file.

import EventLoop
import Logging
import Posix
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Web

@Suite struct `Browsers that have logged in` {
    private let tokens: TokenTable
    private let host: Host

    init() throws {
        tokens = TokenTable(
            try ["greedy", "quiet"].map { try TokenLine(id: $0, role: .read, secret: "a-secret-of-\($0)-that-is-long") })
        host = Host(on: Timekeeper(VirtualClock()), flows: [], commands: .all, access: Access(tokens: tokens))
        host.log.level = .warning
        host.log.sink = { line in
            Issue.record("\(String(decoding: line, as: UTF8.self))")
            return true
        }
    }

    private func logins(_ file: String? = nil, on loop: Loop) throws -> Logins {
        try Logins(file: file, of: host, on: loop)
    }

    private func login(_ token: String) throws -> VisitorIdentity { .token(try #require(tokens[token])) }

    @Test func `Logins with one token log out no browser with another token or a link`() throws {
        let logins = try logins(on: Loop())
        func add(_ identity: VisitorIdentity) throws -> String {
            var secret: String?
            logins.add(identity) { secret = $0 }
            return try #require(secret)
        }
        let screen = try add(login("quiet"))
        let desk = try add(.link)
        let first = try add(login("greedy"))
        for _ in 0..<600 { _ = try add(login("greedy")) }
        #expect(logins.identity(of: screen) != nil)
        #expect(logins.identity(of: desk) == .link)
        #expect(logins.identity(of: first) == nil)
        #expect(logins.count == Logins.max)
    }

    @Test func `A login that is renewed outlives older and newer ones`() throws {
        let logins = try logins(on: Loop())
        var secrets: [String] = []
        for _ in 0..<Logins.max { logins.add(.link) { secrets.append($0) } }
        #expect(logins.renew(secrets[0]))
        #expect(!logins.renew("unknown"))
        for _ in 1..<Logins.max { logins.add(.link) { _ in } }
        #expect(logins.identity(of: secrets[0]) == .link)
        #expect(secrets.dropFirst().allSatisfy { logins.identity(of: $0) == nil })
    }

    @Test func `A link logs in once`() throws {
        let logins = try logins(on: Loop())
        let link = logins.newLink()
        #expect([link, link, "", link + "0"].map { logins.consume(link: $0) } == [true, false, false, false])
    }

    @Test func `Logins and logouts that arrive during a write are in the file when their answers leave`() throws {
        let (folder, loop) = (try Folder(), try Loop())
        let path = folder.path + "/logins"
        let before = try logins(path, on: loop)
        var (added, ended): ([String], [String]) = ([], [])
        for _ in 0..<50 {
            before.add(try login("quiet")) { secret in
                // The file is read as a restart would read it.
                let isKept = (try? self.logins(path, on: loop).identity(of: secret)) != nil
                if isKept { added.append(secret) }
                guard added.count == 50 else { return }
                before.logOut(added[7]) {
                    ended.append(added[7])
                    loop.stop()
                }
            }
        }
        #expect(added.isEmpty, "no answer leaves before the write")
        try loop.run()
        #expect(added.count == 50)
        let after = try logins(path, on: loop)
        #expect(added.filter { after.identity(of: $0) == nil } == ended)
    }

    @Test func `Logins are refused while 256 of them wait for a write to end`() throws {
        let (folder, loop) = (try Folder(), try Loop())
        let logins = try logins(folder.path + "/logins", on: loop)
        var answers = 0
        for _ in 0...Logins.max {
            try logins.checkBacklog()
            logins.add(.link) { _ in
                answers += 1
                if answers > Logins.max { loop.stop() }
            }
        }
        let error = #expect(throws: CommandError.self) { try logins.checkBacklog() }
        #expect(error?.sentence == "256 logins and logouts wait for the disk; try again in a moment")
        try loop.run()
        try logins.checkBacklog()
    }

    @Test func `The file of logins has no secret that a cookie could carry`() throws {
        let (folder, loop) = (try Folder(), try Loop())
        let path = folder.path + "/logins"
        let before = try logins(path, on: loop)
        var secret = ""
        before.add(.link) {
            secret = $0
            loop.stop()
        }
        try loop.run()
        let text = try #require(try SmallFile(path).text())
        let after = try logins(path, on: loop)
        #expect(after.identity(of: secret) == .link)
        #expect(!text.contains(secret))
        for word in text.split(whereSeparator: \.isWhitespace) { #expect(after.identity(of: String(word)) == nil) }
    }

    @Test func `Logins that the loop's end overtakes are kept`() throws {
        let (folder, loop) = (try Folder(), try Loop())
        let path = folder.path + "/logins"
        let before = try logins(path, on: loop)
        for _ in 0..<3 { before.add(.link) { _ in Issue.record("the loop does not run") } }
        before.finish()
        #expect(try logins(path, on: loop).count == 3)
    }
}

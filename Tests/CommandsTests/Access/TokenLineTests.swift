// Lines of the token file, tokens that are reloaded, and limits for wrong tokens.

import RESP
import Testing
import Timers
@testable import Commands
@testable import TLS
@testable import Posix

@Suite struct `A line of the token file` {
    private static let digits = String(repeating: "0a", count: 32)

    @Test(arguments: [
        "ann master sha256=D", "room7 play sessions=room-7-*,lobby quota-sessions=3 rate=50/s sha256=D # at the door",
        "A-1_b read sha256=D",
    ])
    func `A parsed line of the token file is written back unchanged`(text: String) throws {
        let written = text.replacing("sha256=D", with: "sha256=\(Self.digits)")
        #expect(try TokenLine(parsing: written[...]).description == written)
    }

    @Test(arguments: [
        ("ann", "a token is NAME ROLE"), ("ann king sha256=D", "there is no role 'king'"),
        ("ann guest sha256=D", "there is no role 'guest'"),
        ("ann raed sha256=D", "did you mean 'read'?"), ("ann read", "has no sha256="),
        ("ann read sha256=0", "64 hexadecimal digits"),
        ("ann read sha256", "unknown word 'sha256'"), ("ann read sessions= sha256=D", "sessions are names"),
        ("ann read rate=0/s sha256=D", "a rate is a whole number"), ("ann read rate=x sha256=D", "a rate is"),
        ("ann read quota-sessions=-1 sha256=D", "a quota of sessions is a whole number"),
        ("ann read sessions=a sessions=* sha256=D", "has sessions= twice"), ("ann read sha256=D sha256=D", "has sha256= twice"),
        ("default read sha256=D", "is reserved"),
        ("a/b read sha256=D", "letters, digits, - and _; "), ("ä read sha256=D", "letters, digits, - and _; "),
        ("ann # read sha256=D", "a token is NAME ROLE"),
    ])
    func `An invalid line of the token file is refused with an error that names the mistake`(text: String, sentence: String) {
        let line = text.replacing("sha256=D", with: "sha256=\(Self.digits)")
        let error = #expect(throws: AccessError.self) { try TokenLine(parsing: line[...]) }
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        "SECRET play sha256=D", "SECRET play", "SECRET king sha256=D", "ann SECRET sha256=D", "ann SECRET", "ann play SECRET",
        "ann play sha256=SECRET", "ann play secret=SECRET sha256=D", "ann play SECRET sha256=D",
        "ann play rate=SECRET sha256=D",
        "ann play quota-sessions=SECRET sha256=D", "SECRET.SECRET play sha256=D", "SECRET play sha256=D sha256=D", "SECRET",
    ])
    func `A secret in the wrong place of a line is not quoted in the error`(text: String) {
        for secret in ["0123456789abcdef", "c2Vj/cmV0IG9mI+GEgc2NyZWVuIGF0IHRoZSBkb29y", "Zm9vYmFyYmF6cXV4cXV1eA=="] {
            let line = text.replacing("SECRET", with: secret).replacing("=D", with: "=\(Self.digits)")
            do {
                _ = try TokenLine(parsing: line[...])
                // A secret of letters is a name like any other.
                #expect(text == "SECRET play sha256=D")
            } catch {
                #expect(!error.description.contains(secret.prefix(12)), "\(error)")
            }
        }
    }

    @Test(arguments: [("a.b", "letters, digits, - and _; "), ("guest", "the name 'guest' is reserved")])
    func `A line is not made of a name that the token file may not have`(name: String, sentence: String) {
        let error = #expect(throws: AccessError.self) { try TokenLine(id: name, role: .read, secret: "a-secret-of-a-screen") }
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
    }

    @Test func `A token file may have comments and empty lines, and no tokens at all`() throws {
        let text = "# all of them\n\nann read sha256=\(Self.digits)\r\n  # more\nbob play sha256=\(Self.digits)"
        #expect(try TokenFile.parse(text, "f").table.all.map(\.id) == ["ann", "bob"])
        let none = try TokenFile.parse("# none yet\n", "f").table
        #expect(none.count == 0 && none.isAsked)
    }

    @Test func `A token's digest is the standard SHA-256`() {
        #expect(Digest(of: "abc").hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Digest(of: "").hexadecimal == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(Digest(hexadecimal: Digest(of: "abc").hexadecimal) == Digest(of: "abc"))
        #expect(Digest(of: "abc") != Digest(of: "abd"))
    }

    @Test func `Generated token secrets are unique and use all 64 characters`() {
        let secrets = Set((0..<1_000).map { _ in randomSecret() })
        #expect(secrets.count == 1_000 && secrets.allSatisfy { $0.utf8.count == 43 })
        #expect(Set(secrets.flatMap { $0 }).count == 64, "every character occurs")
    }
}

@Suite struct `Reloaded tokens` {
    private func table(_ text: String) throws -> TokenTable {
        let digest = "sha256=" + String(repeating: "0a", count: 32)
        return TokenTable([try TokenLine(parsing: Substring(text.replacing("rate", with: "\(digest) rate")))])
    }

    @Test func `An unchanged token stays the same object after a reload, and a changed one keeps its counts`() throws {
        let old = try table("ann read rate=5/s # old")
        let same = try table("ann read rate=5/s # new").keeping(old)
        #expect(same["ann"] === old["ann"])
        let other = try table("ann play rate=5/s").keeping(old)
        #expect(other["ann"] !== old["ann"] && other["ann"]?.usage === old["ann"]?.usage)
    }
}

@Suite struct `Wrong tokens` {
    private let start = Instant.zero.advanced(by: .seconds(1_000))

    @Test func `Ten wrong tokens block an address for the rest of the minute`() {
        var tries = FailedAttempts()
        for _ in 0..<9 { tries.add("ann", "10.0.0.1", at: start) }
        #expect(tries.wait("10.0.0.1", at: start) == nil)
        tries.add("ann", "10.0.0.1", at: start.advanced(by: .seconds(20)))
        #expect(tries.wait("10.0.0.1", at: start.advanced(by: .seconds(20))) == .seconds(40))
        #expect(tries.wait("10.0.0.2", at: start.advanced(by: .seconds(20))) == nil)
        #expect(tries.hasGuessed("ann", "10.0.0.1") && !tries.hasGuessed("ann", "10.0.0.2"))
        #expect(tries.wait("10.0.0.1", at: start.advanced(by: .seconds(60))) == nil)
    }

    @Test func `Wrong tokens from one IPv6 network count as one address`() {
        var tries = FailedAttempts()
        for number in 1...10 { tries.add("ann", "2001:db8:1:2::\(number)", at: start) }
        #expect(tries.wait("2001:db8:1:2:ffff::1", at: start) != nil && tries.wait("2001:db8:1:3::1", at: start) == nil)
    }

    @Test func `Wrong tokens count per IPv4 address, also when it is mapped to IPv6`() {
        var tries = FailedAttempts()
        for _ in 1...10 { tries.add("ann", "::ffff:10.0.0.7", at: start) }
        #expect(tries.wait("::ffff:10.0.0.7", at: start) != nil && tries.wait("10.0.0.7", at: start) != nil)
        #expect(tries.wait("::ffff:10.0.0.8", at: start) == nil && tries.wait("::1", at: start) == nil)
        #expect(TcpAddress.isLoopback("::ffff:127.0.0.1") && !TcpAddress.isLoopback("::ffff:10.0.0.7"))
    }

    @Test func `Wrong tokens count only against the token names that were tried`() {
        var tries = FailedAttempts()
        for number in 0..<10 { tries.add("guessed-\(number)", "10.0.0.1", at: start) }
        #expect((0..<10).allSatisfy { tries.hasGuessed("guessed-\($0)", "10.0.0.1") })
        #expect(!(0..<1_000).contains { tries.hasGuessed("other-\($0)", "10.0.0.1") })
    }

    @Test func `Wrong tokens of 100 names block all tokens from their network`() {
        var tries = FailedAttempts()
        for number in 0..<99 { tries.add("guessed-\(number)", "10.0.0.1", at: start) }
        #expect(!tries.hasGuessed("ann", "10.0.0.1"))
        tries.add("guessed-99", "10.0.0.1", at: start)
        #expect(tries.hasGuessed("ann", "10.0.0.1") && !tries.hasGuessed("ann", "10.0.0.2"))
    }

    @Test func `A wrong token blocks the token that it names also while its address waits`() throws {
        let tokens = try ["ann", "bob"].map { try TokenLine(id: $0, role: .read, secret: "a-secret-of-\($0)") }
        let access = Access(tokens: TokenTable(tokens))
        for number in 0..<10 {
            #expect(throws: CommandError.self) { try access.admit("guessed-\(number).x", from: "10.0.0.1") }
        }
        #expect(try access.admit("ann.a-secret-of-ann", from: "10.0.0.1").id == "ann")
        let wrong = #expect(throws: CommandError.self) { try access.admit("ann.x", from: "10.0.0.1") }
        let right = #expect(throws: CommandError.self) { try access.admit("ann.a-secret-of-ann", from: "10.0.0.1") }
        #expect(wrong?.code == .limit && right?.code == .limit)
        #expect(try access.admit("bob.a-secret-of-bob", from: "10.0.0.1").id == "bob")
        #expect(try access.admit("ann.a-secret-of-ann", from: "10.0.0.2").id == "ann")
    }

    @Test func `Wrong tokens are recorded for at most 1,024 addresses`() {
        var tries = FailedAttempts()
        for number in 0..<5_000 {
            tries.add("ann", "10.1.\(number / 250).\(number % 250)", at: start.advanced(by: .milliseconds(number)))
        }
        #expect(tries.count == 1_024)
    }
}

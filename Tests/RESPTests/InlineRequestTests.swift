// Requests as people type them, with the quotes of redis-cli.

import RESP
import Testing

@Suite struct `Inline requests` {
    @Test(arguments: [
        ("PING\r\n", ["PING"]),
        ("PING\n", ["PING"]),
        ("  SEND\troom-7   pass  \r\n", ["SEND", "room-7", "pass"]),
        // Only at the beginning of a word are these blanks, as in Redis.
        ("\u{0B}a\u{0B}b \u{0C}c\n", ["a\u{0B}b", "c"]),
        ("a\rb\r\n", ["a", "b"]),
        ("ECHO back\\slash\r\n", ["ECHO", "back\\slash"]),
        ("PING*1\r\n", ["PING*1"]),
        ("$4\r\n", ["$4"]),
        ("SEND ž ☕️\n", ["SEND", "ž", "☕️"]),
    ])
    func `An inline request is split at blanks`(wire: String, words: [String]) {
        expect(wire, reads: [words])
    }

    @Test(arguments: [
        (#"ECHO "a b" 'c d'"#, ["ECHO", "a b", "c d"]),
        (#"ECHO """#, ["ECHO", ""]),
        (#"''"#, [""]),
        (#""" '' """#, ["", "", ""]),
        (#"ECHO "\n\r\t\b\a""#, ["ECHO", "\n\r\t\u{08}\u{07}"]),
        (#"ECHO "\x41\x5a\x7e\x7E""#, ["ECHO", "AZ~~"]),
        // Without two hexadecimal digits, \x is a plain x.
        (#"ECHO "\x4g\xg4\x""#, ["ECHO", "x4gxg4x"]),
        (#"ECHO "\"\\\q\'""#, ["ECHO", #""\q'"#]),
        (#"ECHO 'it\'s \n \\ "x"'"#, ["ECHO", #"it's \n \\ "x""#]),
        // A quote may open in the midst of a word.
        (#"room"a b""#, ["rooma b"]),
        (#"x'y z' "p"  q"#, ["xy z", "p", "q"]),
        ("\"a\"\tb \"c\"\u{0B}d", ["a", "b", "c", "d"]),
        (#"a\"b""#, [#"a\b"#]),
    ])
    func `An inline request is unquoted by Redis' rules`(line: String, words: [String]) {
        expect(line + "\r\n", reads: [words])
        expect(line + "\n", reads: [words])
    }

    @Test(arguments: [
        #"ECHO "a"#, #"ECHO 'a"#, #"ECHO "a"b"#, #"ECHO 'a'b"#, #"ECHO "a\""#, #"ECHO 'a\'"#, #"""#, #"ECHO "a\"#, #""a""b""#,
        #"'a'"b""#,
    ])
    func `An inline request with a quote that does not close where a word ends is refused`(line: String) {
        expect(line + "\r\n", throws: .unbalancedQuotes)
    }

    @Test func `Bytes of an inline request that are not UTF-8 are kept as they are`() {
        let line = "ECHO \"\\xff\\x00\\xFE\" \u{80}".utf8 + [0xFF, 0xC0, 10]
        let transcript = RequestConversation.transcript(of: [Array(line)])
        #expect(transcript.requests == [[Array("ECHO".utf8), [0xFF, 0, 0xFE], [0xC2, 0x80, 0xFF, 0xC0]]])
    }

    @Test func `An unquoted inline request after a quoted one is read from its own bytes`() {
        expect("ECHO \"a b\"\nECHO cd\nECHO ''\n", reads: [["ECHO", "a b"], ["ECHO", "cd"], ["ECHO", ""]])
    }

    @Test func `An inline request of the maximum length is read`() {
        let line = String(repeating: "x", count: RequestLimits.line)
        #expect(RequestConversation.transcript(of: [(line + "\n").utf8]).requests == [[Array(line.utf8)]])
        #expect(RequestConversation.transcript(of: [line.utf8]) == Transcript(unread: RequestLimits.line))
        #expect(RequestConversation.transcript(of: [line.utf8, "\n".utf8]).requests.count == 1)
    }

    @Test func `A NUL byte hides the rest of an inline request, as in Redis`() {
        let hidden = Array("\0PING\r\nFORCE\r\n".utf8)
        #expect(RequestConversation.transcript(of: [hidden]) == Transcript(unread: hidden.count))
        #expect(RequestConversation.transcript(of: hidden.map { [$0] }) == Transcript(unread: hidden.count))
        let flood = hidden + Array(repeating: UInt8(ascii: "\n"), count: RequestLimits.line)
        #expect(RequestConversation.transcript(of: [flood]).error == .endlessLine)
    }

    @Test(arguments: [
        ("POST / HTTP/1.1\r\n", true), ("Host: localhost:6379\r\n", true), ("*1\r\n$5\r\nhOsT:\r\n", true), ("post\n", true),
        ("HOST x\n", false), ("POSTS\n", false), ("PING POST\n", false), ("\n", false),
    ])
    func `An inline request that begins like HTTP is recognized`(wire: String, isHTTP: Bool) throws {
        var parser = RequestParser()
        let length = try parser.read(wire.utf8) { #expect(Words($0).lookLikeHTTP == isHTTP) }
        #expect(length == wire.utf8.count)
    }
}

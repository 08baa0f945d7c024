// What ends a connection, in Redis' own words.

import RESP
import Testing

@Suite struct `Bytes that are no request` {
    @Test(arguments: [
        "*\r\n", "*a\r\n", "*1a\r\n", "*+1\r\n", "* 1\r\n", "*01\r\n", "*-0\r\n", "*--1\r\n", "*-\r\n", "*1.0\r\n",
        // Beyond the limit, and beyond any number.
        "*1048577\r\n", "*9223372036854775807\r\n", "*9223372036854775808\r\n", "*18446744073709551617\r\n",
        "*99999999999999999999999999\r\n",
    ])
    func `an invalid count is refused`(wire: String) {
        expect(wire, throws: .invalidArgumentCount)
    }

    @Test(arguments: [
        "$\r\n", "$a\r\n", "$-1\r\n", "$1a\r\n", "$+1\r\n", "$ 1\r\n", "$01\r\n", "$-0\r\n", "$536870913\r\n",
        "$2000000000\r\n",
        "$9223372036854775807\r\n", "$9223372036854775808\r\n", "$-9223372036854775808\r\n", "$-9223372036854775809\r\n",
    ])
    func `an invalid length is refused`(length: String) {
        expect("*1\r\n\(length)", throws: .invalidBulkLength)
        expect("*2\r\n$4\r\nECHO\r\n\(length)", throws: .invalidBulkLength)
    }

    @Test(arguments: [
        ("*1\r\nfoo\r\n", "f"), ("*2\r\n$4\r\nECHO\r\n:1\r\n", ":"), ("*1\r\n*1\r\n$1\r\na\r\n", "*"), ("*1\r\n\r\n", "\r"),
    ])
    func `a word that is no bulk is refused`(wire: String, got: Character) throws {
        expect(wire, throws: .expectedBulk(got: try #require(got.asciiValue)))
    }

    @Test func `a stranger may send no more than ten words of 16 KiB`() {
        expect("*11\r\n", throws: .strangersArgumentCount, limits: .unauthenticated)
        expect("*1\r\n$16385\r\n", throws: .strangersBulkLength, limits: .unauthenticated)
        expect("*1048577\r\n", throws: .invalidArgumentCount, limits: .unauthenticated)
        expect("*1\r\n$536870913\r\n", throws: .invalidBulkLength, limits: .unauthenticated)
    }

    @Test func `limits are the operator's`() {
        let limits = RequestLimits(isAuthenticated: true, arguments: 2, bulk: 4)
        expect("*3\r\n", throws: .invalidArgumentCount, limits: limits)
        expect("*1\r\n$5\r\n", throws: .invalidBulkLength, limits: limits)
        let boundless = RequestLimits(isAuthenticated: true, arguments: .max, bulk: .max)
        let wire = "*9223372036854775807\r\n$9223372036854775807\r\nabc"
        #expect(RequestConversation.transcript(of: [wire.utf8], limits: boundless) == Transcript(unread: wire.utf8.count))
    }

    @Test(arguments: [
        ("", RequestError.endlessLine), ("*", .endlessArgumentCount), ("*1\r\n$", .endlessBulkLength),
        ("*2\r\n$4\r\nECHO\r\n$", .endlessBulkLength),
    ])
    func `a line that does not end within 64 KiB is refused, and not before`(start: String, error: RequestError) {
        let length = RequestLimits.line - (start.isEmpty ? 0 : 1)
        let bytes = Array(start.utf8) + Array(repeating: UInt8(ascii: "1"), count: length)
        var conversation = RequestConversation()
        conversation.receive(bytes)
        #expect(conversation.transcript == Transcript(unread: bytes.count))
        conversation.receive([UInt8(ascii: "1")])
        #expect(conversation.transcript.error == error)
        let withEnd = bytes + Array("1\r\n".utf8)
        #expect(RequestConversation.transcript(of: [withEnd]).error == error)
    }

    @Test func `a number of 64 KiB less one is refused for what it is`() {
        let digits = String(repeating: "1", count: RequestLimits.line - 1)
        #expect(RequestConversation.transcript(of: [("*" + digits).utf8, "\r\n".utf8]).error == .invalidArgumentCount)
        #expect(RequestConversation.transcript(of: [("*1\r\n$" + digits + "\r\n").utf8]).error == .invalidBulkLength)
    }

    @Test func `the errors speak as Redis does`() {
        let texts: [(RequestError, String)] = [
            (.endlessLine, "too big inline request"), (.endlessArgumentCount, "too big mbulk count string"),
            (.endlessBulkLength, "too big bulk count string"), (.invalidArgumentCount, "invalid multibulk length"),
            (.invalidBulkLength, "invalid bulk length"), (.strangersArgumentCount, "unauthenticated multibulk length"),
            (.strangersBulkLength, "unauthenticated bulk length"),
            (
                .unbalancedQuotes,
                "unbalanced quotes in request: close each quote, leave a blank after it, and put JSON in single quotes, '{\"a\":1}'"
            ),
            (.expectedBulk(got: UInt8(ascii: "P")), "expected '$', got 'P'"),
        ]
        for (error, text) in texts { #expect("\(error)" == text) }
    }

    @Test func `an error is thrown again as long as nothing changes`() throws {
        var parser = RequestParser()
        #expect(try parser.read("*1\r\n$1\r\na\r\n".utf8) == 11)
        for _ in 0..<3 {
            #expect(throws: RequestError.expectedBulk(got: UInt8(ascii: "?"))) { try parser.read("*2\r\n$1\r\nb\r\n?".utf8) }
            #expect(parser.arguments.isEmpty)
        }
    }
}

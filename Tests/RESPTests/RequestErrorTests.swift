// Request errors that end a connection, with Redis' own messages.

import RESP
import Testing

@Suite struct `Invalid requests` {
    @Test(arguments: [
        "*\r\n", "*a\r\n", "*1a\r\n", "*+1\r\n", "* 1\r\n", "*01\r\n", "*-0\r\n", "*--1\r\n", "*-\r\n", "*1.0\r\n",
        // Beyond the limit, and beyond any number.
        "*1048577\r\n", "*9223372036854775807\r\n", "*9223372036854775808\r\n", "*18446744073709551617\r\n",
        "*99999999999999999999999999\r\n",
    ])
    func `A request with an invalid argument count is refused`(wire: String) {
        expect(wire, throws: .invalidArgumentCount)
    }

    @Test(arguments: [
        "$\r\n", "$a\r\n", "$-1\r\n", "$1a\r\n", "$+1\r\n", "$ 1\r\n", "$01\r\n", "$-0\r\n", "$536870913\r\n",
        "$2000000000\r\n",
        "$9223372036854775807\r\n", "$9223372036854775808\r\n", "$-9223372036854775808\r\n", "$-9223372036854775809\r\n",
    ])
    func `A request with an invalid bulk length is refused`(length: String) {
        expect("*1\r\n\(length)", throws: .invalidBulkLength)
        expect("*2\r\n$4\r\nECHO\r\n\(length)", throws: .invalidBulkLength)
    }

    @Test(arguments: [
        ("*1\r\nfoo\r\n", "f"), ("*2\r\n$4\r\nECHO\r\n:1\r\n", ":"), ("*1\r\n*1\r\n$1\r\na\r\n", "*"), ("*1\r\n\r\n", "\r"),
    ])
    func `A request with an argument that is not a bulk is refused`(wire: String, got: Character) throws {
        expect(wire, throws: .expectedBulk(got: try #require(got.asciiValue)))
    }

    @Test func `An unauthenticated client may send at most 10 words of 16 KiB`() {
        expect("*11\r\n", throws: .strangersArgumentCount, limits: .unauthenticated)
        expect("*1\r\n$16385\r\n", throws: .strangersBulkLength, limits: .unauthenticated)
        expect("*1048577\r\n", throws: .invalidArgumentCount, limits: .unauthenticated)
        expect("*1\r\n$536870913\r\n", throws: .invalidBulkLength, limits: .unauthenticated)
    }

    @Test func `The request limits of authenticated clients are configurable`() {
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
    func `A line is refused once it has 64 KiB without an end, and not before`(start: String, error: RequestError) {
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

    @Test func `A number of just under 64 KiB is refused as an invalid number`() {
        let digits = String(repeating: "1", count: RequestLimits.line - 1)
        #expect(RequestConversation.transcript(of: [("*" + digits).utf8, "\r\n".utf8]).error == .invalidArgumentCount)
        #expect(RequestConversation.transcript(of: [("*1\r\n$" + digits + "\r\n").utf8]).error == .invalidBulkLength)
    }

    @Test func `Request errors have the messages of Redis`() {
        let texts: [(RequestError, String)] = [
            (.endlessLine, "too big inline request"), (.endlessArgumentCount, "too big mbulk count string"),
            (.endlessBulkLength, "too big bulk count string"), (.invalidArgumentCount, "invalid multibulk length"),
            (.invalidBulkLength, "invalid bulk length"), (.strangersArgumentCount, "unauthenticated multibulk length"),
            (.strangersBulkLength, "unauthenticated bulk length"),
            (
                .unbalancedQuotes,
                "unbalanced quotes in request: close each quote, add a blank after it, and put JSON in single quotes, '{\"a\":1}'"
            ),
            (.expectedBulk(got: UInt8(ascii: "P")), "expected '$', got 'P'"),
        ]
        for (error, text) in texts { #expect("\(error)" == text) }
    }

    @Test func `A request error is thrown again for the same bytes`() throws {
        var parser = RequestParser()
        #expect(try parser.read("*1\r\n$1\r\na\r\n".utf8) == 11)
        for _ in 0..<3 {
            #expect(throws: RequestError.expectedBulk(got: UInt8(ascii: "?"))) { try parser.read("*2\r\n$1\r\nb\r\n?".utf8) }
            #expect(parser.arguments.isEmpty)
        }
    }
}

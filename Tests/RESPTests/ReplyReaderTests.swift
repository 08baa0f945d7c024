// Replies of all types of both versions, as a client reads them.

import RESP
import Testing

@Suite struct `A reply` {
    @Test(arguments: [
        ("+OK\r\n", Reply.simple("OK")), ("+\r\n", .simple("")),
        ("-ERR unknown command 'x'\r\n", .error(code: .generic, text: "unknown command 'x'")),
        ("-NOAUTH\r\n", .error(code: .notAuthenticated, text: "")),
        ("-A  b\r\n", .error(code: .init("A"), text: " b")),
        ("!11\r\nSYNTAX a\r\nb\r\n", .error(code: .init("SYNTAX"), text: "a\r\nb")),
        (":0\r\n", .integer(0)), (":-7\r\n", .integer(-7)), (":+7\r\n", .integer(7)),
        (":9223372036854775807\r\n", .integer(.max)),
        ("$2\r\nhi\r\n", .bulk(text: "hi")), ("$0\r\n\r\n", .bulk([])), ("$4\r\n\r\n\r\n\r\n", .bulk(text: "\r\n\r\n")),
        ("$-1\r\n", .null), ("*-1\r\n", .null), ("_\r\n", .null),
        ("#t\r\n", .boolean(true)), ("#f\r\n", .boolean(false)),
        (",1.5\r\n", .double(1.5)), (",-10\r\n", .double(-10)), (",1e-7\r\n", .double(1e-7)), (",inf\r\n", .double(.infinity)),
        (",-inf\r\n", .double(-.infinity)),
        ("(3492890328409238509324850943850943825024385\r\n", .bigNumber("3492890328409238509324850943850943825024385")),
        ("(-1\r\n", .bigNumber("-1")),
        ("=8\r\ntxt:flow\r\n", .verbatim(format: "txt", text: "flow")), ("=4\r\nmkd:\r\n", .verbatim(format: "mkd", text: "")),
        ("*0\r\n", .array([])), ("%0\r\n", .map([])), ("~0\r\n", .set([])),
        ("*2\r\n:1\r\n$1\r\na\r\n", .array([.integer(1), .bulk(text: "a")])),
        ("*3\r\n*0\r\n*1\r\n*1\r\n_\r\n+x\r\n", .array([.array([]), .array([.array([.null])]), .simple("x")])),
        ("%1\r\n+a\r\n:1\r\n", .map([.init(key: .simple("a"), value: .integer(1))])),
        (
            "%2\r\n+a\r\n*1\r\n#t\r\n%0\r\n_\r\n",
            .map([.init(key: .simple("a"), value: .array([.boolean(true)])), .init(key: .map([]), value: .null)])
        ),
        ("~2\r\n+a\r\n+b\r\n", .set([.simple("a"), .simple("b")])),
        (">2\r\n+message\r\n$1\r\na\r\n", .push([.simple("message"), .bulk(text: "a")])),
        // Attributes describe the next reply; the reader skips them.
        ("|1\r\n+ttl\r\n:3600\r\n:42\r\n", .integer(42)), ("|0\r\n:42\r\n", .integer(42)),
        ("*2\r\n|1\r\n+ttl\r\n*2\r\n:1\r\n|0\r\n:2\r\n:42\r\n|0\r\n+x\r\n", .array([.integer(42), .simple("x")])),
    ])
    func `A reply of any type is read`(wire: String, reply: Reply) {
        expect(wire, reads: reply)
    }

    @Test func `A double that is not a number is read as NaN`() {
        guard case .double(let value) = ReplyTranscript.read([",nan\r\n".utf8]).replies.first else {
            Issue.record("no double")
            return
        }
        #expect(value.isNaN)
    }

    @Test(arguments: [
        ("?\r\n", ReplyError.unknownType(UInt8(ascii: "?"))), ("\r\n", .unknownType(13)),
        ("PONG\r\n", .unknownType(UInt8(ascii: "P"))),
        ("+a\rb\r\n", .badLine), (":\r\n", .badValue(type: UInt8(ascii: ":"))), (":1a\r\n", .badValue(type: UInt8(ascii: ":"))),
        (":++1\r\n", .badValue(type: UInt8(ascii: ":"))), (":9223372036854775808\r\n", .badValue(type: UInt8(ascii: ":"))),
        ("_x\r\n", .badValue(type: UInt8(ascii: "_"))), ("#x\r\n", .badValue(type: UInt8(ascii: "#"))),
        (",\r\n", .badValue(type: UInt8(ascii: ","))), (",0x10\r\n", .badValue(type: UInt8(ascii: ","))),
        (",infinity\r\n", .badValue(type: UInt8(ascii: ","))), ("(\r\n", .badValue(type: UInt8(ascii: "("))),
        ("(1x\r\n", .badValue(type: UInt8(ascii: "("))), ("(-\r\n", .badValue(type: UInt8(ascii: "("))),
        ("$\r\n", .badLength(type: UInt8(ascii: "$"))), ("$-2\r\n", .badLength(type: UInt8(ascii: "$"))),
        ("$536870913\r\n", .badLength(type: UInt8(ascii: "$"))),
        ("$9223372036854775807\r\n", .badLength(type: UInt8(ascii: "$"))),
        ("$?\r\n", .badLength(type: UInt8(ascii: "$"))), ("!-1\r\n", .badLength(type: UInt8(ascii: "!"))),
        ("=3\r\ntxt\r\n", .badValue(type: UInt8(ascii: "="))), ("=5\r\ntext:\r\n", .badValue(type: UInt8(ascii: "="))),
        ("*1048577\r\n", .badLength(type: UInt8(ascii: "*"))), ("*-2\r\n", .badLength(type: UInt8(ascii: "*"))),
        ("%-1\r\n", .badLength(type: UInt8(ascii: "%"))), ("%524289\r\n", .badLength(type: UInt8(ascii: "%"))),
        (">9223372036854775807\r\n", .badLength(type: UInt8(ascii: ">"))), ("$1\r\nab\r\n", .badBulkEnd),
        ("$1\r\na\n\r\n", .badBulkEnd),
        ("*2\r\n:1\r\nx\r\n", .unknownType(UInt8(ascii: "x"))),
    ])
    func `An invalid reply is refused with an error`(wire: String, error: ReplyError) {
        expect(wire, throws: error)
        #expect(!"\(error)".isEmpty)
    }

    @Test func `A reply may be nested 32 deep and no deeper`() {
        let deep = String(repeating: "*1\r\n", count: 32)
        #expect(ReplyTranscript.read([(deep + ":1\r\n").utf8]).replies.count == 1)
        expect(deep + "*1\r\n", throws: .tooDeep(limit: 32))
        let mixed = String(repeating: "|1\r\n", count: 16) + String(repeating: "%1\r\n", count: 16)
        expect(mixed + "~0\r\n", throws: .tooDeep(limit: 32))
        expect(String(repeating: "*1\r\n", count: 100_000), throws: .tooDeep(limit: 32))
    }

    @Test func `A line of a reply has at most 64 KiB`() {
        let limit = ReplyLimits().line
        let longest = "+" + String(repeating: "x", count: limit - 2) + "\r\n"
        #expect(ReplyTranscript.read([longest.utf8]).replies.count == 1)
        #expect(ReplyTranscript.read([("+" + String(repeating: "x", count: limit)).utf8]).error == .badLine)
        #expect(ReplyTranscript.read([("$" + String(repeating: "1", count: limit)).utf8]).error == .badLine)
    }

    @Test func `The limits of replies are configurable and never overflow`() {
        var limits = ReplyLimits()
        (limits.line, limits.bulk, limits.elements, limits.depth) = (.max, .max, .max, .max)
        for wire in ["$9223372036854775807\r\na", "*9223372036854775807\r\n:1\r\n", "%4611686018427387903\r\n:1\r\n"] {
            #expect(ReplyTranscript.read([wire.utf8], limits: limits) == ReplyTranscript(unread: wire.utf8.count))
        }
        limits.elements = 1
        #expect(ReplyTranscript.read(["*2\r\n".utf8], limits: limits).error == .badLength(type: UInt8(ascii: "*")))
    }

    @Test func `A reply has a text if it is a string`() {
        #expect(Reply.bulk(text: "a").text == "a" && Reply.simple("b").text == "b")
        #expect(Reply.verbatim(format: "txt", text: "c").text == "c")
        #expect(Reply.integer(1).text == nil && Reply.null.text == nil)
    }
}

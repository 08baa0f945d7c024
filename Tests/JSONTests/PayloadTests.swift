import Testing

@testable import JSON

@Suite struct `A payload` {
    @Test(
        arguments: [
            (#"{"episode":3}"#, 3), ("3", 3), (" ", nil), (#"{"episode":3,"episode":4}"#, 4), (#"{"\u0065pisode":5}"#, 5),
            (#"{"other":{"episode":3}}"#, nil), (#"{"a":[{"x":"}"},"]",1e+5,-2.5e-3],"episode":6}"#, 6), ("[1]", nil),
            (#"{"episode":[[1],[2]]}"#, nil), (#"{ "a" : "\"" , "episode" : 7 }"#, 7), ("7.0", 7), ("7.5", nil),
        ] as [(String, Int?)])
    func `A payload has the requested field, or is itself its value`(text: String, episode: Int?) throws {
        #expect(try Payload(text: text).integer("episode") == episode)
        #expect(try Payload(text: text).field("episode")?.integer == episode)
        #expect(try Payload(JSON(payload: text)).integer("episode") == episode)
    }

    @Test(arguments: ["7", " 7", "7\n", "\t7 \r\n", " -7.5 ", " true\n", "null ", " {\"a\":1}", "\n[1]", " \"x\" "])
    func `White space around a JSON payload is not part of its value`(text: String) throws {
        let value = try JSON(parsing: text)
        for payload in [
            try Payload(text: text), try Array(text.utf8).withUnsafeBytes { try Payload(bytes: $0) },
        ] {
            #expect(payload.json == value && payload.field("a") == value.field("a") && payload.kept == value.description)
        }
    }

    @Test(arguments: [" 7a", "1 2", "blue\n", " nullable"]) func `A bare word as a payload keeps its white space`(text: String)
        throws
    {
        #expect(try Payload(text: text).json == .string(text))
    }

    @Test func `A payload that is a bare word is read as a text`() throws {
        let payload = try Payload(text: "blue")
        #expect(payload.text("colour") == "blue" && payload.json == "blue" && payload["colour"] == nil)
        #expect(payload.text == #""blue""# && payload.kept == #""blue""#)
    }

    @Test(arguments: ["4711", "1.50", "12345678901234567890", "-1e5", "true", "false"])
    func `A number that is sent alone can be read as the text that was sent`(word: String) throws {
        for text in [word, " \(word)\n"] {
            let sent = try Payload(text: text)
            let payload = try #require(sent.asText)
            #expect(payload.json == .string(word) && payload.asText == nil)
        }
    }

    @Test func `A number from code can be read as text, as one that is sent`() {
        #expect(Payload(.integer(4711)).asText?.json == .string("4711") && Payload(.bool(true)).asText?.json == .string("true"))
        #expect(Payload(.string("4711")).asText == nil && Payload(.null).asText == nil && Payload(.array([])).asText == nil)
    }

    @Test(arguments: ["null", "blue", "007", #""4711""#, "[1]", #"{"code":4711}"#])
    func `A payload that is no number and no truth value is read in one way`(text: String) throws {
        let sent = try Payload(text: text)
        #expect(sent.asText == nil)
    }

    @Test func `A payload is stored without blanks, and unchanged if it has none`() throws {
        #expect(try Payload(text: "{ \"a b\" : [ 1 ,\n2 ] , \"c\":\"\\u0041 \" } ").kept == #"{"a b":[1,2],"c":"\u0041 "}"#)
        #expect(try Payload(text: #"{"a":1.50}"#).kept == #"{"a":1.50}"#)
        #expect(Payload(["a": 1]).kept == #"{"a":1}"# && Payload(["a": 1]).text == #"{"a":1}"#)
    }

    @Test(arguments: [
        "\"" + String(repeating: "ü", count: 100_000) + "\"", String(repeating: "ü", count: 100_000),
        "[" + String(repeating: "1, ", count: 100_000) + "1]", String(repeating: " ", count: 100_000) + "x",
        "\"" + String(repeating: "\u{7f}", count: 100_000) + "\"",
    ])
    func `A payload that is too long is truncated at the limit with an ellipsis`(text: String) throws {
        for payload in [try Payload(text: text), Payload(try JSON(payload: text))] {
            #expect((JSON.maxKept - 4...JSON.maxKept + 3).contains(payload.kept.utf8.count))
            #expect(payload.kept.hasSuffix("…") && !payload.kept.contains("\u{fffd}"))
        }
    }

    private static let many = "[" + String(repeating: "1,", count: 100_000) + "1]"

    @Test func `Where a plain value is declared, only the beginning of an array is built`() throws {
        let payload = try Payload(text: #"{"a":\#(Self.many),"b":1,"\u0062":2,"c":[3],"a":\#(Self.many)}"#)
        #expect((1...65).contains(payload.beginning(ofField: "a")?.elements.count ?? 0))
        let beginnings = payload.beginnings(of: ["b", "a", "d"])
        #expect(beginnings.members.map(\.name) == ["b", "a"] && beginnings["b"] == 2)
        #expect((1...65).contains(beginnings["a"]?.elements.count ?? 0))
        #expect(payload.beginning(ofField: "c") == [3] && payload.beginning(ofField: "d") == nil)
        #expect(try (1...65).contains(Payload(text: Self.many).beginnings(of: ["a"]).elements.count))
    }

    @Test func `Only the requested members of a payload are built, and at most 20,000 values`() throws {
        let payload = try Payload(text: #"{"a":\#(Self.many),"b":1,"\u0062":2,"c":[3]}"#)
        #expect(payload.part(["c", "b", "d"]) == JSON.object([JSON.Member("c", [3]), JSON.Member("b", 2)]))
        #expect(payload.part(["b", "a"]) == nil && payload.part(nil) == nil && payload.part([]) == JSON.object([]))
        for (text, value) in [("[1,2]", [1, 2]), ("blue", "blue"), ("7", 7)] as [(String, JSON)] {
            #expect(try Payload(text: text).part(["a"]) == value)
        }
        let list = { (count: Int) in "[" + String(repeating: "1,", count: count - 1) + "1]" }
        #expect(try Payload(text: list(19_999)).part(nil)?.elements.count == 19_999)
        let halves = #"{"a":\#(list(10_000)),"b":\#(list(10_000))}"#
        #expect(try Payload(text: halves).part(["a"]) != nil)
        #expect(try Payload(text: halves).part(["a", "b"]) == nil)
    }

    @Test(
        arguments: [
            ([0xFF], 0), (Array("\"a".utf8) + [0xC3, 0x22], 2), (Array("blue".utf8) + [0xED, 0xA0, 0x80], 4),
            ([0xC0, 0x80], 0),
            (Array("[\"abcdefgh".utf8) + [0xF5] + Array("\"]".utf8), 10),
        ] as [([UInt8], Int)])
    func `A payload that is not UTF-8 is refused with the position`(bytes: [UInt8], offset: Int) {
        let error = #expect(throws: JSONError.self) { try bytes.withUnsafeBytes { try Payload(bytes: $0) } }
        #expect(error == JSONError(at: offset, "the text is not UTF-8"))
    }

    @Test func `A payload is read from bytes in the middle of a buffer`() throws {
        for text in ["", "3", "blue", #"{"episode":3}"#, #"{"a longer name":"and a longer text, é"}"#] {
            let payload = try Array("xyz\(text)xyz".utf8).withUnsafeBytes {
                try Payload(bytes: UnsafeRawBufferPointer(rebasing: $0.dropFirst(3).dropLast(3)))
            }
            #expect(try payload.json == JSON(payload: text))
        }
    }
}

import Texts
import Testing

@testable import JSON

@Suite struct `JSON text` {
    @Test(
        arguments: [
            (" [1, -2, 3.5, 1e3] ", [1, -2, .number(3.5), .number(1000)]),
            (#"{"a":{"b":[]},"c":null}"#, ["a": ["b": []], "c": .null]),
            (#""\u0041\n\ud83d\ude00\/""#, "A\n😀/"),
            ("true", true), ("9223372036854775808", .number(9223372036854775808)),
            ("-9223372036854775808", .integer(.min)), ("-0", 0), ("1e308", .number(1e308)),
            ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)), ("1e-400", .number(0)),
            ("0e99999999999999999999", .number(0)), ("0.1", .number(0.1)), ("9007199254740993.0", .number(9007199254740992)),
            ("123456789012345678901234567890", .number(1.2345678901234568e29)),
            ("\t\r\n {\"a\" : [ ] ,\n        \"b\":{ } } ", ["a": [], "b": [:]]),
        ] as [(String, JSON)])
    func `JSON text is parsed to its value`(text: String, value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "01", "1.", "+1", "nul", "\"\n\"", "\"\\x\"", "\"\\ud800\"", "1 2", "\"abc", "{a:1}",
        String(repeating: "[", count: 100_000), "-", "1e999", "1.e5", "-01", ".5", "1e", "1e+", "[1-2]", "[1 2]", "{\"a\":1,}",
        "\"\\ud83d\\u0041\"", "\"\\u12\"", "\"\\", "\u{0}", "[\u{0}]", "truefalse", "1e309", "-1.8e308",
        String(repeating: "9", count: 400),
    ])
    func `Invalid JSON text is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }

    @Test func `An array and an object take room for their elements, and not for the text behind them`() throws {
        let behind = String(repeating: "x", count: 1_000_000)
        let list = "[" + String(repeating: "1,", count: 599) + "1]"
        let members = "{" + (0..<600).map { #""m\#($0)":1"# }.joined(separator: ",") + "}"
        guard case .array(let parts) = try JSON(parsing: "[\(list),\(members),\"\(behind)\"]"), parts.count == 3,
            case .array(let elements) = parts[0], case .object(let found) = parts[1]
        else {
            Issue.record("it is read as something else")
            return
        }
        #expect(elements.count == 600 && elements.capacity < 10_000, "\(elements.capacity)")
        #expect(found.count == 600 && found.capacity < 10_000, "\(found.capacity)")
    }

    @Test func `A JSON error names the fault and its position`() {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: #"{"a" 1}"#) }
        #expect(error?.description == "a ':' is missing at byte 6")
    }

    @Test func `A number beyond the greatest is called too large, and a malformed one no number`() {
        let tooLarge = #expect(throws: JSONError.self) { try JSON(parsing: "[1e309]") }
        #expect(tooLarge?.description == "'1e309' is too large a number at byte 2")
        let malformed = #expect(throws: JSONError.self) { try JSON(parsing: "[1e]") }
        #expect(malformed?.description == "'1e' is no number at byte 2")
    }

    @Test func `A JSON error quotes only a part of a long invalid number`() {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: "0" + String(repeating: "1", count: 1_000_000)) }
        #expect(error?.problem.utf8.count ?? 0 < 100)
    }

    @Test func `JSON text may be nested 64 deep and no deeper`() throws {
        let text = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        #expect(try JSON(parsing: text(64)).description == text(64))
        let error = #expect(throws: JSONError.self) { try JSON(parsing: text(65)) }
        #expect(error?.description == "more than 64 values inside each other at byte 65")
    }

    @Test func `JSON text that a client sends may be nested 48 deep and no deeper`() throws {
        let text = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        let bytes = { Array(text($0).utf8) }
        #expect(try JSON(parsing: text(48), within: .request).description == text(48))
        #expect(try bytes(48).withUnsafeBytes { try Payload(bytes: $0, within: .payload) }.text == text(48))
        let errors = [
            #expect(throws: JSONError.self) { try JSON(parsing: text(49), within: .request) },
            #expect(throws: JSONError.self) { try bytes(49).withUnsafeBytes { try Payload(bytes: $0, within: .payload) } },
        ]
        #expect(errors.allSatisfy { $0?.description == "more than 48 values inside each other at byte 49" })
    }

    @Test func `The JSON text of a request may have 20,000 values and no more`() throws {
        let text = { (count: Int) in "[" + String(repeating: "1,", count: count - 2) + "1]" }
        #expect(try JSON(parsing: text(20_000), within: .request).elements.count == 19_999)
        let error = #expect(throws: JSONError.self) { try JSON(parsing: text(20_001), within: .request) }
        #expect(error?.problem == "more than 20000 values, counting arrays, objects and what they contain")
        #expect(error?.hasTooManyValues == true)
        #expect(try JSON(parsing: text(20_001)).elements.count == 20_000)
    }

    @Test(
        arguments: [
            ("blue", "blue"), ("7", 7), ("{\"a\":1}", ["a": 1]), ("true", true), ("-5", -5),
            ("AA:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:FF"), ("10:BB:CC:DD:EE:FF", "10:BB:CC:DD:EE:FF"), ("", ""),
            ("nullify", "nullify"), ("null", .null), (" 7", 7), (" 7a", " 7a"), ("007", "007"), ("12-34", "12-34"),
            ("-", "-"), ("1e309", "1e309"), (" 007 ", " 007 "),
        ] as [(String, JSON)])
    func `JSON text from a client may be a bare word or number`(text: String, value: JSON) throws {
        #expect(try JSON(payload: text) == value)
    }

    @Test func `A JSON value is the same after writing and parsing`() throws {
        let value: JSON = ["text": "a\"\\\u{1}\u{7f}é😀", "list": [1, .number(0.1), .null, false], "nested": ["": []]]
        #expect(try JSON(parsing: value.description) == value)
    }

    @Test func `JSON text escapes characters that could mislead a terminal or a reader`() throws {
        let unprintable: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200B...0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x2064,
            0x2066...0x2069, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB,
        ]
        let wrong = try (0...0x1_0400).compactMap(Unicode.Scalar.init).filter { scalar in
            let isPlain = !unprintable.contains { $0.contains(scalar.value) }
            let text = "plain text " + String(scalar) + "é"
            let written = JSON.string(text).description
            return try scalar.isUnprintable == isPlain || written.unicodeScalars.contains(scalar) != isPlain
                || JSON(parsing: written) != .string(text)
        }
        #expect(wrong.map(\.value) == [])
        #expect(JSON.string("\u{9b}\u{202e}\u{7f}").description == #""\u009b\u202e\u007f""#)
    }

    @Test func `Names in JSON are compared by their bytes`() throws {
        let value = try JSON(parsing: #"{"é":1,"e\#u{301}":2}"#)
        #expect(value["\u{e9}"] == 1 && value["e\u{301}"] == 2)
    }
}

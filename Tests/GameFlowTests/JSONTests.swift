import GameFlow
import Testing

@Suite struct `JSON text` {
    @Test(
        arguments: [
            (" [1, -2, 3.5, 1e3] ", [1, -2, .number(3.5), .number(1000)]),
            (#"{"a":{"b":[]},"c":null}"#, ["a": ["b": []], "c": .null]),
            (#""\u0041\n\ud83d\ude00\/""#, "A\n😀/"),
            ("true", true), ("9223372036854775808", .number(9223372036854775808)),
        ] as [(String, JSON)])
    func `is read`(text: String, value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "01", "1.", "+1", "nul", "\"\n\"", "\"\\x\"", "\"\\ud800\"", "1 2", "\"abc", "{a:1}",
        String(repeating: "[", count: 100_000), "-", "1e999",
    ])
    func `that is none is refused, with the place`(text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }

    @Test func `says what was wrong and where`() {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: #"{"a" 1}"#) }
        #expect(error?.description == "a ':' is missing at byte 6")
    }

    @Test(
        arguments: [
            ("blue", "blue"), ("7", 7), ("{\"a\":1}", ["a": 1]), ("true", true), ("-5", -5),
            ("AA:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:FF"), ("10:BB:CC:DD:EE:FF", "10:BB:CC:DD:EE:FF"), ("", ""),
        ] as [(String, JSON)])
    func `that a client sends may be a bare word or number`(text: String, value: JSON) throws {
        #expect(try JSON(payload: text) == value)
    }

    @Test func `comes back as it was written`() throws {
        let value: JSON = ["text": "a\"\\\u{1}\u{7f}é😀", "list": [1, .number(0.1), .null, false], "nested": ["": []]]
        #expect(try JSON(parsing: value.description) == value)
    }
}

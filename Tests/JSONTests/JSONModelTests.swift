// Valid and invalid random JSON: the scanner, the tree, the fields and the stored text agree with a simple reader.

import Foundation
import Seeds
import Testing

@testable import JSON

@Suite struct `Random JSON` {
    @Test func `The parser and the reference reader agree on random JSON, including faults and their positions`() throws {
        var maker = RandomJSON()
        for round in 0..<1_500 {
            let text = round % 2 == 0 ? maker.text() : maker.spoiled()
            let reference = outcome { () throws(JSONError) in try ReferenceJSON.parse(text) }
            let fast = outcome { () throws(JSONError) in try JSON(parsing: text) }
            #expect(fast == reference, "\(text.debugDescription)")
            guard case .success(let value) = fast else { continue }
            #expect(try JSON(parsing: value.description) == value, "\(text.debugDescription)")
            try check(Payload(text: text), text)
        }
    }

    private func check(_ payload: Payload, _ text: String) throws {
        let value = payload.json
        for name in RandomJSON.names {
            #expect(payload.field(name) == value.field(name) && payload[name] == value[name], "\(text.debugDescription)")
            #expect(payload.integer(name) == value.field(name)?.integer && payload.text(name) == value.field(name)?.text)
            #expect(payload.double(name) == value.field(name)?.double && payload.boolean(name) == value.field(name)?.boolean)
        }
        #expect(try JSON(parsing: payload.text) == value, "\(text.debugDescription)")
        if !payload.kept.hasSuffix("…") {
            #expect(try JSON(parsing: payload.kept) == value, "\(text.debugDescription)")
        } else {
            #expect(payload.text.utf8.count > JSON.maxKept && payload.kept.utf8.count <= JSON.maxKept + 3)
        }
    }

    private func outcome(_ body: () throws(JSONError) -> JSON) -> Result<JSON, JSONError> {
        do throws(JSONError) { return .success(try body()) } catch { return .failure(error) }
    }
}

/// Makes texts that are mostly JSON.
struct RandomJSON {
    static let names = ["a", "é", "", "episode", "e\u{301}", "a long name of many letters"]
    private static let numbers = [
        "0", "-0", "1", "-12", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1234567890123456789012",
        "007", "-", "1.5", "-0.0", "1e5", "1E+5", "1e-5", "1e308", "1.7e308", "1.8e308", "9e307", "1e309",
        "1.7976931348623157e308", "1.7976931348623159e308", "0.000001e313", "0e9999", "1e-9999", "1.e5", "1.", "1e", "1e+",
        ".5",
        "+1", "4.9e-324", "2.2250738585072011e-308", "9007199254740993", "1e22", "1e23", "0.30000000000000004",
        "1e99999999999999999999", "-1e309",
    ]
    private static let pieces = [
        "a", "episode", "long text without anything in it ", "é", "日本", "😀", "\\n", "\\u0041", "\\ud83d\\ude00", "\\u00e9",
        "\\\"",
        "\\\\", "\\/", "\u{7f}", "\u{202e}", "e\u{301}", "\\ud83d", "\\udc00", "\\x", "\\u12", "\u{1}",
    ]
    private static let blanks = ["", "", "", " ", "\n  ", "\t", "\r\n                  "]
    private static let bytes = Array("[]{}\",:0123456789.eE+-\\untrfalse \n\t\u{0}é".utf8)

    private var generator: SeededGenerator

    init() {
        generator = .announced("random JSON", seed: 9)
    }

    mutating func text() -> String { pick(200) == 0 ? longList() : value(0) }

    /// A list with more values than are made into nodes at once.
    private mutating func longList() -> String {
        "[" + (0..<1_500).map { "\($0 % 10)" }.joined(separator: ",") + ",{\"a\":" + value(0) + "}]"
    }

    /// JSON text with a few bytes changed.
    mutating func spoiled() -> String {
        var bytes = Array(text().utf8)
        for _ in 0...pick(3) where !bytes.isEmpty {
            let index = pick(bytes.count)
            switch pick(3) {
            case 0: bytes[index] = Self.bytes[pick(Self.bytes.count)]
            case 1: bytes.remove(at: index)
            default: bytes.insert(Self.bytes[pick(Self.bytes.count)], at: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func value(_ depth: Int) -> String {
        switch pick(depth > 4 ? 8 : 12) {
        case 0: ["null", "true", "false"][pick(3)]
        case 1, 2: Self.numbers[pick(pick(4) == 0 ? Self.numbers.count : 6)]
        case 3: "\(Double(bitPattern: generator.next()))"
        case 4: "\(pick(100_000))"
        case 5, 6: string()
        case 7: String(repeating: "[", count: 3) + String(repeating: "]", count: 3)
        case 8, 9: list("[", "]") { $0.value(depth + 1) }
        default: list("{", "}") { $0.string() + $0.blank() + ":" + $0.blank() + $0.value(depth + 1) }
        }
    }

    private mutating func list(_ open: String, _ close: String, _ element: (inout RandomJSON) -> String) -> String {
        var elements: [String] = []
        for _ in 0..<pick(4) { elements.append(blank() + element(&self) + blank()) }
        return open + blank() + elements.joined(separator: ",") + close
    }

    private mutating func string() -> String {
        var text = ""
        for _ in 0..<pick(6) { text += Self.pieces[pick(pick(40) == 0 ? Self.pieces.count : 16)] }
        return "\"" + (pick(3) == 0 ? Self.names[pick(Self.names.count)] : text) + "\""
    }

    private mutating func blank() -> String { Self.blanks[pick(Self.blanks.count)] }
    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
}

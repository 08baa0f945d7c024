// Hostile values: numbers, durations and texts at the ends of their ranges.

enum HostileValues {
    static let integers = [
        "0", "1", "-1", "2", "3", "5", "10", "99", "255", "256", "1000", "4096", "65536", "2147483647", "2147483648",
        "-2147483648",
        "4294967295", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "1e3",
        "1.5",
        "1e308", "1e-400", "-0", "+1", "007", "0x10", "nan", "inf", " 1", "1 ", "", "١",
    ]

    static let durations = [
        "0", "1ns", "1ms", "999ms", "1s", "5s", "9999ms", "10s", "15s", "29999ms", "29999999999ns", "30s", "30000000001ns",
        "60s", "1m30s",
        "15m", "1h", "1d", "36599d", "36600d", "36599d23h59m59s", "-1ns", "-1s", "-10s", "-30s", "-36599d", "106751d",
        "9223372036854775807ns",
        "-9223372036854775808ns", "1e5s", "0.5s", ".", "-", "1", "250", "-250", "s", "1x", "1.5.5s", "inf", "nan",
        "9999999999999999999999d",
        "0.0000000001s", "1s1s1s1s", "--1s", "1 s",
    ]

    static let texts: [[UInt8]] =
        [
            "", "x", "1", "true", "null", "{}", "[]", "\"\"", "{\"a\":", "{\"a\":1}", "[[[[[[[[1]]]]]]]]", "\\", "\"", "'",
            "\\u0000", "\u{0}",
            "\n", "\r\n", "a\tb", "\u{7f}", "\u{9b}31m", "\u{1b}[2J", "é", "e\u{301}", "\u{202e}abc", "\u{2066}x", "\u{feff}",
            "\u{fffd}",
            "👨‍👩‍👧‍👦", "ﷺ", "𐀀", "*", "?", "[a-", "[^", "\\*", "session:*", "%s%n", "$(id)", "../../etc", "a b", "  ", "!", "🇩🇪🇫",
            String(repeating: "a", count: 254), String(repeating: "b", count: 255), String(repeating: "c", count: 256),
            String(repeating: "é", count: 127), String(repeating: "é", count: 128), String(repeating: "[", count: 600),
            String(repeating: "{\"a\":", count: 200), String(repeating: "👨‍👩‍👧‍👦", count: 45),
        ].map { Array($0.utf8) } + [
            [0xff, 0xfe], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x61, 0xcc], [0x80],
        ]

    /// Long enough to reach the limits for cutting. Rarer, since they are slow.
    static let longTexts: [[UInt8]] = [
        Array(("e" + String(repeating: "\u{301}", count: 33_000)).utf8), Array(String(repeating: "👨‍👩‍👧‍👦", count: 9_000).utf8),
        Array(repeating: UInt8(ascii: "z"), count: 8_001), Array(repeating: 0xff, count: 70_000),
        Array(("\"" + String(repeating: "\\u0001", count: 2_000) + "\"").utf8), Array(String(repeating: "🇩", count: 300).utf8),
    ]
}

extension Choices {
    mutating func integer() -> String { one(of: HostileValues.integers) }

    mutating func duration() -> String {
        switch byte() {
        case ..<160: return one(of: HostileValues.durations)
        case ..<220: return "\(number(below: 60_000))"
        default: return "\(number(below: 60_000) * 1_000_000 + number(below: 3))ns"
        }
    }

    /// Few, so that they are often repeated.
    mutating func id() -> [UInt8] {
        happens(240) ? Array(one(of: ["k", "k", "l", String(repeating: "i", count: 64)]).utf8) : text()
    }

    mutating func text() -> [UInt8] {
        switch byte() {
        case ..<250: one(of: HostileValues.texts)
        case ..<254: one(of: HostileValues.longTexts)
        default: bytes(number(below: 40))
        }
    }

    /// Returns a JSON text with any contents.
    mutating func quoted() -> String {
        let text = String(decoding: happens(8) ? self.text() : one(of: HostileValues.texts), as: UTF8.self)
        return "\""
            + text.unicodeScalars.map {
                $0.value < 32
                    ? "\\u00" + ($0.value < 16 ? "0" : "") + String($0.value, radix: 16)
                    : $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)"
            }.joined() + "\""
    }
}

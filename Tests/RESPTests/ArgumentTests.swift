// The operations of a word of a request.

import RESP
import Testing

/// Does something with a text as the word of a request.
private func with<Result>(_ text: String, _ body: (Argument) throws -> Result) rethrows -> Result {
    try Array(text.utf8).withUnsafeBytes { try body(Argument($0)) }
}

@Suite struct `A word` {
    @Test(arguments: [
        ("PING", true), ("ping", true), ("PiNg", true), ("PIN", false), ("PINGS", false), ("PONG", false), ("", false),
        // These differ from a letter by the case bit.
        ("P\u{09}NG", false), ("\u{10}ING", false),
    ])
    func `A word is compared case-insensitively`(text: String, isSame: Bool) {
        with(text) { #expect($0.isWord("PING") == isSame && $0.isWord("ping") == isSame) }
    }

    @Test func `A case-insensitive comparison folds letters only`() {
        with("[\\]^_@") { #expect($0.isWord("[\\]^_@") && !$0.isWord("{|}~\u{7F}`")) }
        with("0123") { #expect(!$0.isWord("\u{10}\u{11}\u{12}\u{13}")) }
    }

    @Test(arguments: [
        ("0", 0), ("7", 7), ("-1", -1), ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
        ("1000000", 1_000_000),
    ])
    func `A word in decimal notation is read as an integer`(text: String, number: Int) {
        #expect(with(text) { $0.integer } == number)
    }

    @Test(arguments: [
        "", "-", "+1", " 1", "1 ", "01", "-0", "-01", "1a", "0x1", "1.0", "9223372036854775808", "-9223372036854775809",
        "18446744073709551616", "99999999999999999999", "999999999999999999999999", "--1", "１",
    ])
    func `A word that is not a number has no integer`(text: String) {
        #expect(with(text) { $0.integer } == nil)
    }

    @Test func `A word that is not UTF-8 has no text, only a repaired text`() {
        with("žluťoučký ☕️") { #expect($0.text == "žluťoučký ☕️" && $0.repairedText == "žluťoučký ☕️") }
        with("") { #expect($0.text == "" && $0.isEmpty) }
        let broken: [UInt8] = [0x61, 0xFF, 0x62, 0xC5]
        broken.withUnsafeBytes { #expect(Argument($0).text == nil && Argument($0).repairedText == "a\u{FFFD}b\u{FFFD}") }
    }

    @Test func `A word has a case-insensitive hash and a seeded, case-sensitive hash`() {
        let words = ["A", "ab", "Ping", "HELLO", "commands", "SUBSCRIBE", "PSUBSCRIBE", "a-word-of-twenty-byte"]
        for word in words {
            let folded = Argument.foldedHash(of: word.uppercased())
            #expect(with(word.lowercased()) { $0.foldedHash } == folded)
            #expect(with(word.lowercased()) { $0.hash(seed: 1) } != with(word.uppercased()) { $0.hash(seed: 1) })
            #expect(with(word) { $0.hash(seed: 1) } != with(word) { $0.hash(seed: 2) })
        }
    }

    @Test func `The hash of a word depends on each of its bytes at any length`() {
        var seen: Set<UInt64> = []
        for length in 0...40 {
            let zeros = [UInt8](repeating: 0, count: length)
            #expect(seen.insert(zeros.withUnsafeBytes { Argument($0).hash(seed: 3) }).inserted)
            for place in 0..<length {
                var bytes = zeros
                bytes[place] = 1
                #expect(seen.insert(bytes.withUnsafeBytes { Argument($0).hash(seed: 3) }).inserted)
            }
        }
    }

    @Test func `A word equals another one with the same bytes only`() {
        with("ab") { left in
            with("ab") { #expect($0 == left) }
            with("aB") { #expect($0 != left) }
            with("abc") { #expect($0 != left) }
        }
    }
}

// The table of texts, compared with a list of strings.

@testable import GameFlow
import Seeds
import Testing

@Suite struct `A table of texts` {
    private static func index(of text: String, in table: TextTable) -> Int? {
        Array(text.utf8).withUnsafeBytes { table.index(of: $0) }
    }

    /// Short texts of few letters, so that many are equal, or begin alike, or are the beginning of another.
    private static func randomText(_ random: inout SeededGenerator) -> String {
        let letters = "ab\u{e9}"
        let length = Int.random(in: 0...18, using: &random)
        return String((0..<length).map { $0 < 7 ? "a" : letters.randomElement(using: &random) ?? "a" })
    }

    @Test func `A table of texts finds the first of equal texts, with any beginning and of any length`() {
        var random = SeededGenerator.announced("the table of texts", seed: 1)
        for _ in 0..<200 {
            let texts = (0..<30).map { _ in Self.randomText(&random) }
            let table = TextTable(texts)
            for text in texts + (0..<30).map({ _ in Self.randomText(&random) }) {
                #expect(Self.index(of: text, in: table) == texts.firstIndex(of: text), "'\(text)' among \(texts)")
            }
        }
    }

    @Test(arguments: 0...20) func `A table of texts distinguishes texts that differ in one byte`(length: Int) {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        let table = TextTable([String(decoding: bytes, as: UTF8.self)])
        for index in bytes.indices {
            var other = bytes
            other[index] = UInt8(ascii: "b")
            #expect(other.withUnsafeBytes { table.index(of: $0) } == nil, "byte \(index) of \(length)")
        }
        #expect(bytes.withUnsafeBytes { table.index(of: $0) } == 0)
    }

    @Test func `A table of texts finds texts of more than 255 bytes`() {
        let texts = [260, 516, 4, 255].map { String(repeating: "a", count: $0) }
        let table = TextTable(texts)
        for (index, text) in texts.enumerated() { #expect(Self.index(of: text, in: table) == index) }
        #expect(Self.index(of: String(repeating: "a", count: 259), in: table) == nil)
    }
}

// Patterns of names, compared with their definition.

import RESP
import Seeds
import Testing

@Suite struct `A pattern` {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("a*c", "abbc", true), ("a*c", "abbd", false),
        ("?", "a", true), ("?", "", false), ("[a-c]x", "bx", true), ("[a-c]x", "dx", false), ("[c-a]", "b", true),
        ("[^a-c]", "b", false), ("[^a-c]", "d", true), ("[abc", "c", true), ("[abc", "d", false), ("[", "a", false),
        ("[^", "a", true), ("[a-]", "-", true), ("[a-]", "b", false), ("\\*", "*", true), ("\\*", "a", false),
        ("\\", "\\", true),
        ("[\\]]x", "]x", true), ("[a\\-c]", "b", false), ("[a\\-c]", "-", true), ("[^\\]]", "]", false), ("[\\", "\\", true),
        ("a\\", "a\\", true), ("[]", "]", false), ("**a**", "xxaxx", true), ("session:*-7", "session:room-7", true),
    ])
    func `A pattern matches as Redis documents it`(pattern: String, text: String, matches: Bool) {
        #expect(Glob(pattern).matches(text) == matches)
    }

    @Test(arguments: [("[a-cé]", true), ("[^a-cé]", false)])
    func `A class matches exactly its bytes, and a negated one all others`(pattern: String, isPlain: Bool) {
        let (glob, own) = (Glob(pattern), Set("abcé".utf8))
        for byte in UInt8.min...UInt8.max {
            let isMatched = withUnsafeBytes(of: byte) { glob.matches($0) }
            #expect(isMatched == (own.contains(byte) == isPlain), "\(byte)")
        }
    }

    /// The recursive definition, which takes exponential time with many stars.
    private func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == UInt8(ascii: "*") {
            return matches(pattern.dropFirst(), text) || !text.isEmpty && matches(pattern, text.dropFirst())
        }
        guard let byte = text.first, first == UInt8(ascii: "?") || first == byte else { return false }
        return matches(pattern.dropFirst(), text.dropFirst())
    }

    @Test func `A random pattern matches exactly as the recursive definition does`() {
        var random = SeededGenerator.announced("patterns", seed: 9)
        let letters = Array("ab*?".utf8)
        for _ in 0..<20_000 {
            let pattern = (0..<Int.random(in: 0..<8, using: &random)).map { _ in letters.randomElement(using: &random) ?? 0 }
            let text = (0..<Int.random(in: 0..<8, using: &random)).map { _ in letters[Int.random(in: 0..<2, using: &random)] }
            let glob = Glob(String(decoding: pattern, as: UTF8.self))
            #expect(
                glob.matches(String(decoding: text, as: UTF8.self)) == matches(pattern[...], text[...]), "\(pattern) \(text)")
        }
    }

    @Test func `A pattern's matching steps per byte are bounded by its weight`() {
        for pattern in ["*" + String(repeating: "a", count: 500) + "b", "a*a*a*a*a*b", "[a-z]*[a-z]?a", "session:room-*"] {
            let (glob, text) = (Glob(pattern), Array(String(repeating: "a", count: 255).utf8))
            var steps = 0
            _ = text.withUnsafeBytes { glob.matches($0, &steps) }
            #expect(steps <= (text.count + 1) * (glob.weight + 2))
        }
    }
}

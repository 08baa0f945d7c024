// Sentences about very many names.

import Testing

@testable import Texts

@Suite struct `A sentence about very many names` {
    @Test func `lists the first of them, and counts the others`() {
        let names = (0..<10_000).map { "name\($0)" }
        #expect(names.available.utf8.count < 2_100)
        #expect(names.available.hasPrefix("available: name0, name1, ") && names.available.hasSuffix(" more"))
        #expect(["a", "b"].available == "available: a, b")
    }

    @Test func `compares a wrong name with as many as can be done at once`() {
        let letters = String(repeating: "x", count: 40)
        let names = ["wrong name"] + (0..<100_000).map { "\(letters)\($0)" } + ["right name"]
        #expect(Suggestion.closest(to: "wrong nam", among: names) == "wrong name")
        #expect(Suggestion.closest(to: "right nam", among: names) != "right name", "it stands behind too many")
        #expect(Suggestion.closest(to: "right nam", among: ["other", "right name"]) == "right name")
    }
}

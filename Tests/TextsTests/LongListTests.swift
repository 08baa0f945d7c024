// Error messages with very many names.

import Testing

@testable import Texts

@Suite struct `An error message with very many names` {
    @Test func `A long list of names shows the first ones, and counts the others`() {
        let names = (0..<10_000).map { "name\($0)" }
        #expect(names.available.utf8.count < 2_100)
        #expect(names.available.hasPrefix("available: name0, name1, ") && names.available.hasSuffix(" more"))
        #expect(["a", "b"].available == "available: a, b")
    }

    @Test func `A wrong name is compared with a limited number of names`() {
        let letters = String(repeating: "x", count: 40)
        let names = ["wrong name"] + (0..<100_000).map { "\(letters)\($0)" } + ["right name"]
        #expect(Suggestion.closest(to: "wrong nam", among: names) == "wrong name")
        #expect(Suggestion.closest(to: "right nam", among: names) != "right name", "it is beyond the limit")
        #expect(Suggestion.closest(to: "right nam", among: ["other", "right name"]) == "right name")
    }
}

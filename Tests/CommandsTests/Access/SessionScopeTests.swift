// The patterns in `sessions=` of a token.

import Testing
@testable import Commands

@Suite struct `Patterns of sessions` {
    @Test(arguments: [
        ("room-7-*", ["room-7-", "room-7-a", "room-7-a/child"], ["room-7", "room-70", "xroom-7-a", "", "ROOM-7-A"]),
        ("room-7", ["room-7", "room-7/child"], ["room-7x", "room-", "room-70"]), ("*", ["", "a"], []),
        ("a,b*", ["a", "b", "bc", "a/x"], ["ab", "c"]), ("ä*", ["ä", "äb"], ["a\u{308}"]),
    ])
    func `A session pattern admits an exact name and its children, or a prefix with a star`(
        text: String, admitted: [String], others: [String]
    ) throws {
        let scope = try SessionScope(text)
        #expect(admitted.allSatisfy { scope.admits($0) } && !others.contains { scope.admits($0) })
        #expect(scope.description == text)
    }

    @Test(arguments: [("*", true), ("a,*", true), ("a*", false), ("a,b", false)])
    func `A token with a pattern of all sessions is not restricted`(text: String, admitsAll: Bool) throws {
        let line = try TokenLine(parsing: "screen master sessions=\(text) sha256=\(String(repeating: "a", count: 64))")
        #expect((line.scope == nil) == admitsAll)
    }

    @Test(arguments: ["", "a,,b", "a*b", "**", ",", String(repeating: "a,", count: 64) + "a"])
    func `Invalid patterns of sessions are refused`(text: String) {
        #expect(throws: AccessError.self) { try SessionScope(text) }
    }
}

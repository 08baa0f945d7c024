// What runs in C, or in one instruction, and takes long: it counts by its work, so that no expression takes more than some milliseconds.

import JSON
import Testing

@testable import Charts

@Suite struct `The work of expressions` {
    @Test(
        arguments: [
            ("string.rep('', math.maxinteger)", ""), ("string.rep('', 1e18, '')", ""), ("string.rep('ab', 2, '-')", "ab-ab"),
            ("string.rep('', 3, '-')", "--"), ("string.rep('ab', 0)", ""), ("string.rep('ab', -1)", ""),
        ] as [(String, JSON)])
    func `an empty text repeated is empty at once`(_ text: String, _ value: JSON) throws {
        #expect(try evaluated(text) == value)
    }

    static let heavy = [
        "while true do string.format('%99.99f', 1e308) end",
        "local a = 1.2345678901234e-308 while true do local s = a..a..a..a..a..a..a..a..a..a..a..a..a..a..a..a end",
        "local a, b = 1e308, 3e-308 while true do local c = a % b c = a % b c = a % b c = a % b c = a % b c = a % b end",
        "local a, b = 1e308, 3e-308 while true do math.fmod(a, b) end",
        "local t = {1.1e-308, 1.2e-308} while true do table.concat(t) end",
        "local function f(...) return f(1, ...) end return f()",
        "local function g() end local function f(...) while true do g(...) end end f(string.byte(string.rep('x', 30000), 1, -1))",
        "local t = {} for i = 1, 20000 do t[i] = i end for i = 1, 20000 do t[i] = nil end while true do pairs(t) end",
        "local s = string.rep('x', 20000) while true do math.max(string.byte(s, 1, -1)) end",
    ]

    /// Generous, since tests are not optimized and share the machine: without counting these take 30 to 300 ms.
    @Test(arguments: heavy)
    func `what one instruction or one call does counts by what it takes`(_ body: String) throws {
        let expressions = try ExpressionsUnderTest(["(function() \(body) end)()"])
        let time = (0..<5).map { _ in ContinuousClock().measure { _ = expressions.complaint() } }.min() ?? .zero
        #expect(expressions.complaint() != nil)
        #expect(time < .milliseconds(25), "it took \(time)")
    }

    @Test func `no number has one text on every machine`() throws {
        #expect(try evaluated("tostring(0/0) .. tostring(-(0/0))") == "nannan")
        #expect(try evaluated("string.format('%f %g %s %.1f', 0/0, -(0/0), 0/0, 1.25)") == "nan nan nan 1.2")
        #expect(try complaint("0/0")?.contains("the result is nan, which") == true)
    }
}

@Suite struct `Words of an expression` {
    @Test(arguments: [
        "'\\z \n\t ' .. f", "'a\\\r\n' .. f", "'a\\\n\r' .. f", "'a\\\r' .. f", "'a\\\n' .. f", "'\\z' .. f", "'\\\\' .. f",
        "'\\z\\z  \r\n\\\r\n' .. f", "'\\'' .. f", "\"\\z  '\" .. f", "'\\x41\\065\\u{41}' .. f",
    ])
    func `a text ends where it ends for Lua`(_ text: String) throws {
        #expect(Lexer.tokens(of: text).map(\.kind).dropFirst() == [.symbol(".."), .name("f")])
        #expect(problem(text, ["f"]) == nil)
    }

    /// The text between the calls is one for a lexer that stops too early, and so are the functions outside of it.
    @Test(arguments: ["'\\z\n'", "'\\\r\n'", "'\\\n\r'"])
    func `functions cannot hide between texts`(_ text: String) throws {
        let expressions = try ExpressionsUnderTest(["{ \(text), (function() while true do end end)(), \(text) }"])
        #expect(expressions.complaint()?.contains("takes more than 100000 steps") == true)
    }

    @Test func `what has no functions is counted, too`() throws {
        let expressions = try ExpressionsUnderTest(
            ["{ " + String(repeating: "#name + name2 % 7,", count: 150) + " }"], ["name": "x", "name2": 8])
        let before = expressions.engine.spent
        _ = try expressions.value()
        #expect(expressions.engine.spent - before > 1_000)
    }
}

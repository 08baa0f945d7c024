// Long-running C functions and instructions are charged by their work, so that no expression runs for more than some milliseconds.

import JSON
import TestSupport
import Testing

@testable import Statecharts

@Suite struct `The work of expressions` {
    @Test(
        arguments: [
            ("string.rep('', math.maxinteger)", ""), ("string.rep('', 1e18, '')", ""), ("string.rep('ab', 2, '-')", "ab-ab"),
            ("string.rep('', 3, '-')", "--"), ("string.rep('ab', 0)", ""), ("string.rep('ab', -1)", ""),
        ] as [(String, JSON)])
    func `Repeating an empty text any number of times returns at once`(_ text: String, _ value: JSON) throws {
        #expect(try evaluated(text) == value)
    }

    /// Endless bodies, and the maximum ratio of their time until they are stopped to that of plain instructions. The measured ratio is below
    /// two thirds of that. Without charging by work, most would take 2 to 100 times the bound.
    private static let heavy: [(String, Double)] = [
        ("while true do string.format('%99.99f', 1e308) end", 60),
        ("local a = 1.2345678901234e-308 while true do local s = a..a..a..a..a..a..a..a..a..a..a..a..a..a..a..a end", 40),
        ("local a, b = 1e308, 3e-308 while true do local c = a % b c = a % b c = a % b c = a % b c = a % b c = a % b end", 90),
        ("local a, b = 1e308, 3e-308 while true do math.fmod(a, b) end", 15),
        ("local t = {1.1e-308, 1.2e-308} while true do table.concat(t) end", 10),
        ("local function f(...) return f(1, ...) end return f()", 10),
        (
            "local function g() end local function f(...) while true do g(...) end end f(string.byte(string.rep('x', 30000), 1, -1))",
            10
        ),
        ("local t = {} for i = 1, 20000 do t[i] = i end for i = 1, 20000 do t[i] = nil end while true do pairs(t) end", 15),
        ("local s = string.rep('x', 20000) while true do math.max(string.byte(s, 1, -1)) end", 60),
    ]

    @Test(arguments: heavy)
    func `An instruction or a library call is charged by the work that it does`(_ body: String, _ bound: Double) throws {
        let (heavy, plain) = (try endless(body), try endless("local a = 0 while true do a = a + 1 a = a - 1 end"))
        // Another program on the same core slows either down, so the fastest run counts.
        let times = (0..<7).map { _ in
            (processorTime { _ = heavy.evaluationError() }, processorTime { _ = plain.evaluationError() })
        }
        let (time, measure) = (times.map(\.0).min() ?? .zero, times.map(\.1).min() ?? .zero)
        #expect(heavy.evaluationError() != nil && plain.evaluationError() != nil)
        #expect(time < measure * bound, "it took \(time), and plain instructions \(measure)")
    }

    private func endless(_ body: String) throws -> ExpressionsUnderTest {
        try ExpressionsUnderTest(["(function() \(body) end)()"])
    }

    @Test func `NaN has the same text on every machine`() throws {
        #expect(try evaluated("tostring(0/0) .. tostring(-(0/0))") == "nannan")
        #expect(try evaluated("string.format('%f %g %s %.1f', 0/0, -(0/0), 0/0, 1.25)") == "nan nan nan 1.2")
        #expect(try evaluationError("0/0")?.contains("the result is nan, which") == true)
    }
}

@Suite struct `Words of an expression` {
    @Test(arguments: [
        "'\\z \n\t ' .. f", "'a\\\r\n' .. f", "'a\\\n\r' .. f", "'a\\\r' .. f", "'a\\\n' .. f", "'\\z' .. f", "'\\\\' .. f",
        "'\\z\\z  \r\n\\\r\n' .. f", "'\\'' .. f", "\"\\z  '\" .. f", "'\\x41\\065\\u{41}' .. f",
    ])
    func `The lexer ends a text where Lua ends it`(_ text: String) throws {
        #expect(Lexer.tokens(of: text).map(\.kind).dropFirst() == [.symbol(".."), .name("f")])
        #expect(problem(text, ["f"]) == nil)
    }

    /// A lexer that ends a text too early takes the call between the texts for a part of a text.
    @Test(arguments: ["'\\z\n'", "'\\\r\n'", "'\\\n\r'"])
    func `A function between two texts still has a step limit`(_ text: String) throws {
        let expressions = try ExpressionsUnderTest(["{ \(text), (function() while true do end end)(), \(text) }"])
        #expect(expressions.evaluationError()?.contains("takes more than 100000 steps") == true)
    }

    @Test func `The work of an expression without functions is counted`() throws {
        let expressions = try ExpressionsUnderTest(
            ["{ " + String(repeating: "#name + name2 % 7,", count: 150) + " }"], ["name": "x", "name2": 8])
        let before = expressions.engine.spent
        _ = try expressions.value()
        #expect(expressions.engine.spent - before > 1_000)
    }
}

// Values and errors of expressions.

import JSON
import Testing

@testable import Statecharts

@Suite struct `Values of expressions` {
    @Test(
        arguments: [
            ("1 + 2", .integer(3)), ("7 // 2", 3), ("7 / 2", .number(3.5)), ("4 / 2", .number(2)), ("2 ^ 3", .number(8)),
            ("7 % 3", 1), ("-7 % 3", 2), ("-7 // 2", -4), ("1.5 + 1.5", .number(3)), ("5 & 3 | 8", 9), ("~0", -1),
            ("1 << 62", .integer(1 << 62)),
            ("9223372036854775807 + 1", .integer(.min)), ("9223372036854775808", .number(9223372036854775808)), ("0x10", 16),
            ("'a' .. 1 .. 'b'", "a1b"), ("#'grün'", 5), ("\"\\u{e9}\"", "é"), ("[[\nlong]]", "long"), ("1 < 2", true),
            ("'a' < 'b'", true),
            ("'Z' < 'a'", true), ("'ä' < 'z'", false), ("nil", .null), ("not nil", true), ("1 and 2 or 3", 2),
            ("nil == false", false),
            ("1 == 1.0", true), ("'1' == 1", false), ("{1, 2, 3}", [1, 2, 3]), ("{}", []),
            ("{ b = 1, a = { 2 } }", ["a": [2], "b": 1]),
            ("{ 1, nil }", [1]), ("{[1] = 'a', [2] = 'b'}", ["a", "b"]), ("-- before\n1 -- behind", 1), ("(1)", 1),
            ("((1) + (2))", 3),
            ("({ a = 5 }).a", 5), ("({ 10, 20 })[2]", 20), ("math.floor(3.7)", 3), ("math.max(1, 5, 3)", 5),
            ("math.tointeger(3.0)", 3),
            ("math.type(3)", "integer"), ("math.maxinteger", .integer(.max)), ("string.upper('ab')", "AB"),
            ("string.sub('hello', 2, 3)", "el"),
            ("string.format('%d of %s, %5.2f %%', 3, 'x', 2.5)", "3 of x,  2.50 %"), ("string.rep('ab', 3, '-')", "ab-ab-ab"),
            ("string.reverse('abc')", "cba"), ("string.len('abc')", 3), ("string.byte('A')", 65),
            ("string.char(72, 105)", "Hi"),
            ("tostring(12)", "12"), ("tostring(1.0)", "1.0"), ("tostring(nil)", "nil"), ("tonumber('0x1F')", 31),
            ("tonumber('1.5')", .number(1.5)),
            ("tonumber('ff', 16)", 255), ("tonumber('x')", .null), ("type({})", "table"), ("select('#', 1, 2)", 2),
            ("(select(2, 'a', 'b'))", "b"),
            ("table.concat({1, 'b', 2.5}, ', ')", "1, b, 2.5"), ("table.unpack({7, 8})", 7), ("table.pack(1, 2).n", 2),
            ("utf8.len('grün')", 4),
            ("utf8.char(228)", "ä"), ("utf8.codepoint('ä')", 228),
            ("(function() local sum = 0 for i = 1, 10 do sum = sum + i end return sum end)()", 55),
            ("(function(t) table.insert(t, 4) table.remove(t, 1) return t end)({1, 2, 3})", [2, 3, 4]),
            ("(function() local t = {} for _, v in ipairs({5, 6}) do t[#t + 1] = v * 2 end return t end)()", [10, 12]),
            ("(function() goto there; do return 1 end ::there:: return 2 end)()", 2),
            ("(function() local x <const> = 5 return x end)()", 5), ("(function(...) return select('#', ...) end)(1, 2, 3)", 3),
            ("(function() local function f(n) return n < 2 and n or f(n - 1) + f(n - 2) end return f(15) end)()", 610),
        ] as [(String, JSON)])
    func `An expression has the value that Lua gives it`(_ text: String, _ value: JSON) throws {
        #expect(try evaluated(text) == value)
    }

    @Test func `Expressions can use the names of the context, the event and the session`() throws {
        let texts = [
            "round + score", "event.choice", "event", "event.name", "event.nothing", "source", "elapsed", "remaining('round')",
            "remaining 'idle'",
            "state('a')", "state(\"a.b\") or state('a')", "session", "parent", "{ event = event.choice, state = state 'a' }",
            "event['choice']",
            "(function() return event.choice end)()", "event.choice == 'b' and round < 3",
        ]
        let expressions = try ExpressionsUnderTest(texts, ["round": 2, "score": 40])
        expressions.scope.event = ["choice": "b"]
        expressions.scope.eventName = "answer"
        expressions.scope.source = .network
        let results: [JSON] = [
            42, "b", JSON.object([.init("choice", "b"), .init("name", "answer")]), "answer", .null, "network", 3007, 1500,
            .null, true, true,
            "room", .null,
            JSON.object([.init("event", "b"), .init("state", true)]), "b", "b", true,
        ]
        for (number, result) in results.enumerated() { #expect(try expressions.value(number) == result, "\(texts[number])") }
    }

    @Test func `An event's payload that is not an object is read as the event's value field`() throws {
        let expressions = try ExpressionsUnderTest(["event.value", "event.name", "event", "event.choice"])
        (expressions.scope.event, expressions.scope.eventName) = (5, "dice")
        #expect(try [0, 1, 2, 3].map(expressions.value) == [5, "dice", ["name": "dice", "value": 5], .null])
        (expressions.scope.event, expressions.scope.eventName) = (["name": "Ada"], "join")
        #expect(try [0, 1, 2, 3].map(expressions.value) == [.null, "Ada", ["name": "Ada"], .null])
        (expressions.scope.event, expressions.scope.eventName) = (nil, nil)
        #expect(try [0, 1, 2, 3].map(expressions.value) == [.null, .null, .null, .null])
    }

    @Test func `Only nil and false are false`() throws {
        let truths = try ["nil", "false", "0", "''", "{}", "true", "math", "0/0"].map {
            try ExpressionsUnderTest([$0]).isTrue()
        }
        #expect(truths == [false, false, true, true, true, true, true, true])
    }

    @Test(arguments: [
        ("1 / 0", "the result is inf, which is no number that JSON has"), ("0 / 0", "which is no number that JSON has"),
        ("'\\xff'", "no UTF-8"), ("{ '\\xff' }", "no UTF-8"), ("{ ['\\xff'] = 1 }", "no UTF-8"),
        ("math.floor", "a function, and no value"),
        ("{ print = math }", "a library, and no value"), ("{ 1, a = 2 }", "neither 1, 2, 3"),
        ("{ [3] = 1 }", "neither 1, 2, 3"),
        ("{ [1.5] = 1 }", "neither 1, 2, 3"), ("{ [true] = 1 }", "neither 1, 2, 3"), ("{ [0] = 1 }", "neither 1, 2, 3"),
        ("(function() local t = {} t[1] = t return t end)()", "nested more than 32 deep"),
        ("{string.rep('x', 40000), string.rep('y', 40000)}", "larger than 65536 bytes"),
        ("string.rep('x', 60000) .. string.rep('x', 5560)", "larger"),
    ])
    func `A result that JSON cannot hold is an error`(_ text: String, _ sentence: String) throws {
        let told = try evaluationError(text) ?? "no error"
        #expect(told.contains(sentence), "\(told)")
    }

    @Test(arguments: [
        ("score + missing", "cannot calculate with a nil value ('missing')"),
        ("missing.x", "cannot take a field of a nil value ('missing')"),
        ("'10' + 1", "cannot calculate with a string value"), ("1 < 'x'", "cannot compare number with string"),
        ("event.choice + 1", "cannot calculate with a nil value ('event.choice')"),
        ("remaining('idle') < 5", "cannot compare nil with number"),
        ("('x'):upper()", "cannot take a field of a string value"), ("'a' .. missing", "cannot join a nil value ('missing')"),
        ("1 // 0", "divides an integer by zero"), ("score()", "cannot call a number value ('score')"),
        ("{} + 1", "a table value"),
        ("string.rep('x', 1 << 40)", "longer than 65536 bytes"), ("tostring({})", "a table has no text"),
        ("string.format('%p', {})", "is an address"),
        ("string.format('%s', {})", "a table has no text"),
        ("(function() math.pi = 3 end)()", "'math' cannot be changed"),
        ("(function() found = 3 end)()", "'found' is no local variable"),
        ("(function() local t = {} t[nil] = 1 end)()", "index is nil"), ("#5", "cannot take the length of a number value"),
        ("pairs({[{}] = 1})", "there is a table among the keys"),
    ])
    func `An evaluation error names the expression and its line`(_ text: String, _ sentence: String) throws {
        let told = try evaluationError(text, ["score": 1, "missing": .null]) ?? "no error"
        #expect(told.contains(sentence) && told.hasPrefix("'\(text)' in line 1: "), "\(told)")
    }
}

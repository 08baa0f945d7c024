// Limits of one evaluation: time, memory, depth. The engine continues after every failure.

import JSON
import TestSupport
import Testing

@testable import Statecharts

@Suite struct `Bounds of expressions` {
    @Test(arguments: [
        ("(function() while true do end end)()", "takes more than 100000 steps"),
        ("(function() ::again:: goto again end)()", "takes more than 100000 steps"),
        ("(function() repeat until false end)()", "takes more than 100000 steps"),
        ("(function() for i = 1, math.maxinteger do end end)()", "takes more than 100000 steps"),
        ("(function() for i = 1, math.huge do end end)()", "takes more than 100000 steps"),
        (
            "(function() local t = {} for i = 1, 1000 do t[i] = i end while true do for _ in pairs(t) do break end end end)()",
            "steps"
        ),
        ("(function() local t = {} for i = 1, 5000 do t[i] = i end while true do table.insert(t, 1, 0) end end)()", "steps"),
        ("(function() local t = {} for i = 1, 5000 do t[i] = 5000 - i end while true do table.sort(t) end end)()", "steps"),
        ("(function() local s = string.rep('x', 60000) while true do utf8.len(s) end end)()", "steps"),
        ("(function() local s = string.rep(' ', 60000) .. 1 while true do math.abs(s) end end)()", "steps"),
        ("(function() local s = string.rep(' ', 60000) .. 1 while true do for i = 1, s do break end end end)()", "steps"),
        (
            "(function() local a, b = string.rep('x', 60000) .. 1, string.rep('x', 60000) .. 2 while true do local c = a < b end end)()",
            "steps"
        ),
        ("(function() table.sort({3, 2, 1}, function() while true do end end) end)()", "takes more than 100000 steps"),
        ("table.concat({}, '', 1, math.maxinteger)", "invalid value (nil) at index 1"),
        (
            "(function() local f f = function(n) return 1 + f(n + 1) end return f(0) end)()",
            "call each other more than 200 deep"
        ),
        (
            "(function() local f f = function() table.sort({1, 2}, f) return true end return f() end)()",
            "call each other more than 200 deep"
        ),
        ("string.rep('x', 1 << 30)", "longer than 65536 bytes"), ("string.rep('x', 65536, 'xx')", "longer than 65536 bytes"),
        ("(function() local s = 'x' while true do s = s .. s end end)()", "takes more memory"),
        ("(function() local t = {} while true do t = { t } end end)()", "takes more memory"),
        ("(function() local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 8000) .. i end end)()", "takes more memory"),
        ("(function() local s = string.rep('x', 60000) for i = 1, 1e9 do local t = s .. i end end)()", "takes more memory"),
        ("(function() local t = {} for i = 1, 1e9 do t[i] = function() return t end end end)()", "takes more memory"),
        ("(function() local t = {} for i = 1, 1e9 do t[i] = 1 end return table.unpack(t) end)()", "takes more memory"),
        (
            "(function() local t = {} for i = 1, 13500 do t[i] = {} end while true do local x = {} end end)()",
            "takes more memory"
        ),
        ("table.unpack({}, 1, 1000000)", "at most 250 values"),
        ("table.unpack({}, math.mininteger, math.maxinteger)", "at most 250 values"),
        (
            "(function() local t = {'x'} for i = 1, 100 do t = { table.concat(t), table.concat(t) } end end)()",
            "longer than 65536 bytes"
        ),
        ("string.format(string.rep('%99d', 1000), table.unpack({}, 1, 250))", "bad argument"),
    ])
    func `An expression that exceeds a limit ends with an error message`(_ text: String, _ sentence: String) throws {
        let expressions = try ExpressionsUnderTest([text, "1 + 1"])
        let time = processorTime {
            let told = expressions.evaluationError() ?? "no error"
            #expect(told.contains(sentence), "\(told)")
        }
        #expect(time < .seconds(1), "it took \(time)")
        #expect(try expressions.value(1) == 2)
    }

    @Test(arguments: [
        (String(repeating: "(", count: 1000) + "1" + String(repeating: ")", count: 1000), "0: is nested too deeply"),
        (String(repeating: "not ", count: 1000) + "true", "is nested too deeply"),
        (String(repeating: "{", count: 2000), "is nested too deeply"),
        (String(repeating: "- ", count: 2000) + "1", "is nested too deeply"),
        (String(repeating: "1 .. ", count: 800) + "1", "is nested too deeply"),
        ("'" + String(repeating: "x", count: 4096), "has 4097 bytes"),
        (String(repeating: "function() return ", count: 220), "is nested too deeply"),
        ("{" + String(repeating: "{},", count: 1300) + "}", ""), (String(repeating: "a.", count: 2000) + "a", ""),
        ("1" + String(repeating: " + 1", count: 1000), ""), (String(repeating: "f()", count: 1), "there is no variable 'f'"),
    ])
    func `An expression that is too long or nested too deeply is refused`(_ text: String, _ sentence: String) {
        let told = problem(text, ["a"]) ?? ""
        #expect(
            sentence.isEmpty ? told.isEmpty : told.contains(sentence.drop { $0 == "0" || $0 == ":" || $0 == " " }), "\(told)")
    }

    @Test(arguments: [
        "1 + nothing", "(function() local t = {} for i = 1, 1000 do t[i] = { i } end return t.x.y end)()",
        "string.rep('x', 60000) .. nothing",
        "{ string.rep('x', 60000), string.rep('x', 60000) }", "name .. nothing", "list.x.y",
    ])
    func `Up to 100,000 failed evaluations do not grow the engine's memory`(_ text: String) throws {
        let expressions = try ExpressionsUnderTest([text], ["nothing": .null, "name": "Ada", "list": [1, [2, 3]]])
        _ = expressions.evaluationError()
        let before = expressions.engine.memory
        var most = before
        for number in 0..<(text.contains("function") || text.contains("rep") ? 1_000 : text.contains("1 +") ? 100_000 : 10_000)
        {
            expressions.scope.variables[1] = .string("Ada \(number)")
            _ = expressions.evaluationError()
            most = max(most, expressions.engine.memory)
        }
        #expect(most < before + (300 << 10))
    }

    @Test func `A successful evaluation leaves no changes for the next one`() throws {
        let expressions = try ExpressionsUnderTest(
            [
                "(function() round = 7 return round end)()", "round", "(function() list[1] = 'changed' return list end)()",
                "list",
            ], ["round": 1, "list": ["as it was"]])
        #expect(try [0, 1, 2, 3].map(expressions.value) == [7, 1, ["changed"], ["as it was"]])
    }

    @Test func `A text of 1 MiB and a text with the character 0 are refused`() throws {
        let long = JSON.string(String(repeating: "x", count: 1 << 20))
        #expect(try evaluationError("name", ["name": long])?.contains("takes more memory") == true)
        #expect(try evaluationError("#name == 1", ["name": "\0"])?.contains("character 0") == true)
        #expect(try evaluationError("event.name", ["name": long]) == nil)
    }
}

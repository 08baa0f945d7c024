// Names outside the sandbox, and error messages about invalid expressions.

import JSON
import Testing

@testable import Statecharts

@Suite struct `Names and texts of expressions` {
    @Test(arguments: [
        "io", "os", "load", "loadstring", "loadfile", "dofile", "require", "package", "debug", "coroutine", "collectgarbage",
        "pcall",
        "xpcall", "error", "assert", "setmetatable", "getmetatable", "rawset", "rawget", "rawequal", "rawlen", "next", "print",
        "warn",
        "_G", "_ENV", "_VERSION", "arg", "unpack",
    ])
    func `A name outside the sandbox does not exist`(_ name: String) throws {
        #expect(problem("1 + \(name)")?.contains("4: there is no ") == true)
        #expect(problem("(function() return \(name) end)()")?.contains("19: there is no ") == true)
        // A function's own names are known only when it runs.
        if name != "_ENV" {
            #expect(try evaluationError("(function() if true then return \(name) end local \(name) end)()") != nil)
        }
    }

    @Test(arguments: [
        "math.random", "math.randomseed", "math.sin", "string.find", "string.match", "string.gmatch", "string.gsub",
        "string.dump",
        "string.pack", "string.unpack", "table.move", "utf8.codes", "utf8.charpattern",
    ])
    func `Library members that the sandbox lacks are missing at load and at run time`(_ name: String) throws {
        #expect(problem("\(name)(1)")?.hasPrefix("0: there is no '\(name)' here: ") == true)
        let parts = name.split(separator: ".")
        #expect(try evaluated("\(parts[0])['\(parts[1])']") == .null)
    }

    @Test(arguments: [
        ("", "0: is empty; an expression is wanted"), ("  -- nothing", "0: is empty; an expression is wanted"),
        ("score = 5", "6: unexpected '='; '==' compares, and '=' is no part of an expression"),
        ("score += 5", "; write the new value alone"), ("score++", "; write the new value alone"),
        ("score != 5", "6: unexpected '!'; '~=' means not equal"), ("score && round", "; write 'and'"),
        ("score || round", "; write 'or'"), ("!score", "0: unexpected symbol near '!'; write 'not'"),
        ("score > 1 ? 2 : 3", "'a and b or c' takes b if a is true"), ("'!' 1", "4: unexpected '1'"),
        ("hello there", "; a text needs its own quotes: \"'hello there'\""),
        ("1 +", "3: the expression ends too early"), ("1 + * 2", "4: unexpected symbol near '*'"),
        ("(1", "2: ')' expected near the end"),
        ("1)", "1: unexpected ')'"), ("1) + (2", "1: unexpected ')'"),
        ("1, 2", "1: is more than one expression"),
        ("1;", "1: is more than one expression"), ("1 end", "2: unexpected 'end'"),
        ("'open", "0: unfinished string near"),
        ("1 2", "2: unexpected '2'"), ("return 1", "0: 'return' begins no expression"),
        ("local x = 1", "0: 'local' begins no"),
        ("if score then 1 end", "0: 'if' begins no expression"), ("while true do end", "0: 'while' begins no expression"),
        ("for i = 1, 2 do end", "0: 'for' begins no expression"), ("...", "cannot use '...' outside a vararg function"),
        ("scroe + 1", "0: there is no variable 'scroe'; did you mean 'score'?"),
        ("score + evnt.x", "8: there is no variable 'evnt'; did you mean 'event'?"),
        ("math.flor(1)", "0: there is no 'math.flor'; did you mean 'math.floor'?"),
        ("round + zzz", "8: there is no variable 'zzz'; declare it: context: { zzz: 0 }"),
        ("zzz.name == ''", "0: there is no variable 'zzz'; declare it: context: { zzz: {} }"),
        ("context.score > 1", "0: there is no variable 'context'; write a variable's name alone, without 'context.'"),
        ("score == null", "9: there is no variable 'null'; write 'nil'"),
        ("zzz", "0: there is no variable 'zzz'; a text needs its own quotes: \"'zzz'\""),
        ("state(score)", "0: 'state' takes the path of a state in quotes: state(\"lobby.ready\")"),
        ("remaining", "0: 'remaining' takes the name"),
        ("'a\\0b'", "0: texts cannot have the character 0"), ("'\\x00'", "character 0"), ("'\\u{000}'", "character 0"),
        ("'\0'", "1: texts cannot"),
        ("\u{1b}Lua", "0: unexpected symbol near '<\\27>'"), ("#!x", "unexpected symbol near"),
        ("ünknown", "0: unexpected 'ü'; outside of texts, names have letters from a to z"),
        ("größe + 1", "2: unexpected 'ö'; outside of texts"), ("score ≥ 1", "6: unexpected '≥'; write >="),
        ("score – 1", "6: unexpected '–'; write -"), ("score + 2 × 3", "10: unexpected '×'; write *"),
        ("(function() local x <const> = 1 x = 2 end)()", "cannot assign to const variable 'x'"),
        ("(function() math = math.pi end)()", "assign to const variable 'math'"),
        ("(function() local state end)()", "18: 'state' takes"),
        ("(function() _ENV = {} end)()", "12: there is no '_ENV' here"), ("--[[", "0: is empty"),
        ("1 --[[ open", "unfinished long comment"),
        ("1e", "0: malformed number near '1e'"), ("0x", "0: malformed number near '0x'"),
        ("score.x.y +", "ends too early"),
    ])
    func `A mistake in an expression is reported with its place`(_ text: String, _ sentence: String) {
        let told = problem(text, ["score", "round"]) ?? "nothing is wrong"
        #expect(told.contains(sentence) && (!sentence.first!.isNumber || told.hasPrefix(sentence)), "told: \(told)")
    }

    @Test(arguments: [
        "'\\01'", "'\\10'", "'a\\\\0'", "{ state = 1, unknown = 2 }", "event.anything.at.all", "event.name", "({}).os",
        "-- os\n1", "'os'", "[[os]]",
        "(function(os) return os end)(1)", "(function() for io = 1, 2 do end local function load() end return load end)()",
        "state 'x'", "1 -- )",
        "(function() return 1, 2 end)()", "(function() local a <const>, b = 1, 2; return a end)()", "{ 1, 2; 3 }",
        "0xA.8p1 + 1e-5 + .5 + 3.",
    ])
    func `A valid expression is not refused`(_ text: String) {
        #expect(problem(text) == nil)
    }

    @Test func `An engine is not made with an expression that does not compile`() throws {
        let texts = ["1", "1 +", "'ok'", "os"].map { ExpressionSource(text: $0, state: 0) }
        let problem = #expect(throws: TextProblem.self) { try ExpressionEngine(texts, variables: []) }
        #expect(problem?.offset == 3)
    }

    @Test func `The compiler lists the states and timers that an expression mentions`() throws {
        let mentions = try Compiler(variables: ["round", "score"]).mentions(
            in: "score > 1 and state('a.b') or remaining [[x]] or (function() return state \"c\" end)()")
        #expect(mentions.states.map(\.text) == ["a.b", "c"] && mentions.states.map(\.offset) == [20, 74])
        #expect(mentions.timers.map(\.text) == ["x"])
    }

    @Test(arguments: [
        ("round", true), ("_x1", true), ("event", false), ("state", false), ("math", false), ("end", false), ("1st", false),
        ("a b", false),
        ("grün", false), ("", false), ("a.b", false), ("os", false), ("self", true), ("a--", false),
    ])
    func `A variable name that is reserved or not a Lua name is refused`(_ name: String, _ isGood: Bool) {
        #expect((ExpressionNames.refusal(ofVariable: name) == nil) == isGood)
    }
}

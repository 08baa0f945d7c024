// Error messages about literals that can never be right: values of variables, and lengths of time.

import Statecharts
import Testing

/// A flow with variables of all types, which assigns these at its begin.
private func assigned(_ members: String) -> String {
    """
    { id: 't', states: { a: { entry: { assign: {
    \(members) } } } },
      context: {
        c: { type: 'string', enum: ['red', 'blue'], default: 'red' }, n: { type: 'integer', minimum: 1, maximum: 5, default: 1 },
        s: { type: 'string', maxLength: 3, default: '' }, f: { type: 'number', minimum: 0, default: 0 },
        b: false, l: [], o: {}, any: null,
      } }
    """
}

@Suite struct `A flow file with literals that never fit` {
    @Test(arguments: [
        WrongFile(
            assigned(#"c: "'green'""#),
            #"2:4: error: 'c' is one of red, blue, and not the text 'green'"#),
        WrongFile(
            assigned(#"n: 6, s: "'long'""#),
            #"2:4: error: 'n' is a whole number from 1 to 5, and not 6"#,
            #"2:10: error: 's' is a text, 0 to 3 characters, and not the text 'long'"#),
        WrongFile(
            assigned(#"n: "2 * 3", f: -1"#),
            #"2:4: error: 'n' is a whole number from 1 to 5, and not 6"#,
            #"2:16: error: 'f' is a number, 0 or more, and not -1"#),
        WrongFile(
            assigned(#"n: "2.5", f: "-0.5""#),
            #"2:4: error: 'n' is a whole number from 1 to 5, and not 2.5"#,
            #"2:14: error: 'f' is a number, 0 or more, and not -0.5"#),
        WrongFile(
            assigned(#"n: "nil", b: 0, l: { x: "n" }, o: ["n"]"#),
            #"2:4: error: 'n' is a whole number from 1 to 5, and not null"#,
            #"2:14: error: 'b' is true or false, and not 0"#,
            #"2:20: error: 'l' is an array, and not an object"#,
            #"2:35: error: 'o' is an object, and not an array"#),
    ])
    func `An assigned literal outside of the variable's type and bounds is reported with its place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test func `A literal within the type and bounds is no problem, and neither is an expression that a session computes`() {
        let literals = """
            c: "'blue'", n: "2 + 3", s: "'abc'", f: "0.5", b: true, l: [1], o: { x: "n" }, any: 5
            """
        let computed = """
            c: "event.c", n: "n + 9", s: "s .. 'long'", f: "1 // 0", b: "n > 5", l: "{}", o: "{}", any: "'x'"
            """
        for text in [literals, computed, "n: 3.0, o: []"] { #expect(report(assigned(text)) == []) }
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: 't', context: { label: '', minutes: 1 }, states: { a: { after: { '1s': { delay: "zz", target: 'a' } } } } }"#,
            #"1:87: error: 'delay' is a duration such as "30s", or an expression in milliseconds, and 'zz' is neither; write it like 90s, 1m30s, 250ms, 1500 or "minutes * 60000""#
        ),
        WrongFile(
            #"{ id: 't', context: { label: '', minutes: 1 }, states: { a: { after: { '1s': { delay: "half an hour", target: 'a' } } } } }"#,
            #"1:87: error: 'delay' is a duration such as "30s", or an expression in milliseconds, and 'half an hour' is neither; write it like 90s, 1m30s, 250ms, 1500 or "minutes * 60000""#
        ),
        WrongFile(
            #"{ id: 't', context: { label: '', minutes: 1 }, states: { a: { after: { '1s': { delay: "'30s'", target: 'a' } } } } }"#,
            #"1:87: error: 'delay' is a duration such as "30s", or an expression in milliseconds, and not the text '30s'"#),
        WrongFile(
            #"{ id: 't', context: { label: '', minutes: 1 }, states: { a: { after: { '1s': { delay: "true", target: 'a' } } } } }"#,
            #"1:87: error: 'delay' is a duration such as "30s", or an expression in milliseconds, and not true"#),
        WrongFile(
            #"{ id: 't', context: { label: '', minutes: 1 }, states: { a: { after: { '1s': { delay: "label", target: 'a' } } } } }"#,
            #"1:87: error: 'delay' is a duration such as "30s", or an expression in milliseconds, and 'label' is a text"#),
        WrongFile(
            #"{ id: 't', context: { label: '', minutes: 1 }, states: { a: { after: { '1s': { delay: "minuts", target: 'a' } } } } }"#,
            #"1:88: error: there is no variable 'minuts'; did you mean 'minutes'?"#),
        WrongFile(
            #"{ id: 't', context: { label: '', minutes: 1 }, states: { a: { after: { '1s': { delay: "2 - 7", target: 'a' } } } } }"#,
            #"1:87: error: 'delay' is -5ms, and nothing can come before now"#),
        WrongFile(
            #"{ id: 't', context: { label: '', minutes: 1 }, states: { a: { after: { '1s': { delay: "1e300", target: 'a' } } } } }"#,
            #"1:87: error: 'delay' is too long; a duration is shorter than a century (36600d)"#),
        WrongFile(
            #"{ id: 't', context: { a: { type: 'integer', default: 1, maximum: 18446744073709551616 }, b: { type: 'integer', default: 9223372036854775808 } }, states: { a: {} } }"#,
            "1:66: error: 'maximum' is a whole number, and not 1.8446744073709552e+19 (beyond 64 bits)",
            "1:121: error: the default of 'b' is 9.223372036854776e+18 (beyond 64 bits), which does not fit its type: a whole number"
        ),
    ])
    func `A delay that is never a length of time is reported with the forms of a delay`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: ["'minutes * 60000'", "'minutes'", "'2500'", "'1500.5'", "'5 * 60000'", "'elapsed'", "1500"])
    func `A delay that is a duration, or an expression that may be a number, is no problem`(_ delay: String) {
        #expect(
            report(
                "{ id: 't', context: { label: '', minutes: 1 }, states: { a: { after: { '1s': { delay: \(delay), target: 'a' } } } } }"
            ) == [])
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: 't', context: { x: { type: 'string', enum: [], default: 'a' } }, states: { a: {} } }"#,
            #"1:50: error: 'enum' is empty, so no value would fit; list its texts: ["red", "blue"]"#),
        WrongFile(
            #"{ id: 't', context: { x: { type: 'string', enum: ['a', 3, true], default: 3 } }, states: { a: {} } }"#,
            #"1:56: error: 'enum' lists texts alone, and not 3"#,
            #"1:59: error: 'enum' lists texts alone, and not true"#,
            #"1:75: error: the default of 'x' is 3, which does not fit its type: a text"#),
        WrongFile(
            #"{ id: 't', context: { x: { type: 'integer', enum: [1, 2], default: 1 } }, states: { a: {} } }"#,
            #"1:45: error: 'enum' bounds no integer; it lists texts, and numbers have 'minimum' and 'maximum'"#),
        WrongFile(
            #"{ id: 't', context: { x: { type: 'string', enum: ['a', 'b'], default: 'c' } }, states: { a: {} } }"#,
            #"1:71: error: the default of 'x' is the text 'c', which does not fit its type: one of a, b"#),
        WrongFile(
            #"{ id: 't', context: { x: { type: 'integer', maximum: 5, description: 'minutes', default: 9 } }, states: { a: {} } }"#,
            #"1:90: error: the default of 'x' is 9, which does not fit its type: a whole number, 5 or less"#),
        WrongFile(
            #"{ id: 't', context: { x: { type: 'array', default: {} } }, states: { a: {} } }"#,
            #"1:52: error: the default of 'x' is an object, which does not fit its type: an array"#),
    ])
    func `A wrong enum or default is reported with what would fit`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test func `The context of an invoked flow is checked against that flow's file`() throws {
        let kid = try chart(
            "{ id: 'kid', context: { points: { type: 'integer', maximum: 9, default: 0 }, name: '' }, states: { a: {} } }")
        func problems(_ context: String) throws -> [String] {
            let parent = try chart("{ id: 'parent', states: { a: { invoke: { flow: 'kid', context: { \(context) } } } } }")
            return parent.invokedContextProblems(["kid": kid]).map { $0.description(in: "parent") }
        }
        #expect(try problems("points: 9, name: 'session'") == [])
        #expect(
            try problems("points: 10, nam: '1'") == [
                "parent:1:74: error: in the flow 'kid', 'points' is a whole number, 9 or less, and not 10",
                "parent:1:78: error: the context of the flow 'kid' has no variable 'nam'; did you mean 'name'?",
            ])
        let other = try chart("{ id: 'parent', states: { a: { invoke: { flow: 'other', context: { n: 1 } } } } }")
        #expect(other.invokedContextProblems(["kid": kid]).isEmpty, "its file may be added later")
    }
}

// Error messages about texts that are not JSON5.

import Testing

@Suite struct `A flow file that is no JSON5` {
    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: b } } } }"#,
            #"1:37: error: b is no value; a text needs quotes: "b""#),
        WrongFile(
            #"{ id: "t", context: { n: 0 }, states: { a: { on: { go: { guard: n > 3, actions: [{ assign: { n: n + 1 } }] } } } } }"#,
            #"1:65: error: a text with spaces or signs needs quotes: "n > 3""#,
            #"1:97: error: a text with spaces or signs needs quotes: "n + 1""#),
        WrongFile(
            "{ id: “s3”, states: { a: {} } }",
            #"1:7: error: “ is a typographic quote: type a plain " instead"#),
        WrongFile(
            #"{ id: "t" states: { a: {} } }"#,
            "1:11: error: a ',' is missing before 's'"),
        WrongFile(
            #"{ id: "t", states: { a: {} }"#,
            "1:29: error: the text ends here; the '{' of line 1, column 1 has no '}'"),
        WrongFile(
            #"{ id: "t", states: { a: { after: { 30s: "a" } } } }"#,
            #"1:36: error: the name 30s needs quotes: "30s""#),
        WrongFile(
            #"{ id: "t", states: { a: { on: { error.*: "a" } } } }"#,
            #"1:33: error: the name error.* needs quotes: "error.*""#),
        WrongFile(
            #"{ id: "t", context: { a: Infinity, b: 0x, c: 1e999, d: 012 }, states: { a: {} } }"#,
            "1:26: error: Infinity is no number here; write one that is finite",
            "1:39: error: 0x is no number, or too large for one",
            "1:46: error: 1e999 is no number, or too large for one",
            "1:56: error: 012 is no number, or too large for one"),
        WrongFile(
            #"{ id: "t", states: { a: { description: "\q \x1 \u12" } } }"#,
            #"1:44: error: '\x1' is no character; \x needs two hexadecimal digits and \u four, both halves of a pair"#,
            #"1:48: error: '\u12' is no character; \x needs two hexadecimal digits and \u four, both halves of a pair"#),
        WrongFile(
            "{ id: \"t\", states: { a: { description: \"no end } } }\n",
            "1:40: error: the text that begins here has no end in its line"),
        WrongFile(
            #"{ id: "t", /* no end"#,
            "1:12: error: the comment that begins here has no */"),
        WrongFile(
            "",
            "1:1: error: the text ends where a value should be"),
        WrongFile(
            "\n<scxml>", "1:1: error: this looks like XML, and a flow file is JSON5: { id: \"lamp\", states: { … } }"),
        WrongFile(
            "quiz",
            #"1:1: error: quiz is no value; a text needs quotes: "quiz""#),
        WrongFile(
            #"{ id: "t",, states: { a: {} } } x"#,
            "1:11: error: there is a ',' too many",
            "1:33: error: the value ends before 'x', and nothing may follow it"),
        WrongFile(
            #"{ id: "t", states: { a: [ } } }"#,
            "1:27: error: a value is missing before '}'",
            "1:27: error: '}' is not expected here; the '[' of line 1, column 25 has no ']'"),
    ])
    func `A text that is not JSON5 is reported with the place of each fault`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }
}

// JSON5 by json5.org, with positions, and the errors of invalid texts.

import Seeds
import Testing

@testable import JSON

@Suite struct `JSON5` {
    @Test(arguments: [
        ("// nothing\n1", "1"), ("/* a * b / c */ 1 /**/", "1"), ("1 // at the end", "1"),
        ("\u{FEFF}\u{A0}\u{2028}\t1\u{C}\u{B}", "1"),
        ("[1, 2,]", "[1,2]"), ("{a: 1,}", "{\"a\":1}"), ("{}", "{}"), ("[]", "[]"), ("'a\"b'", "\"a\\\"b\""),
        ("\"a'b\"", "\"a'b\""),
        ("{$a_1: 1, été: 2, 'a b': 3, \\u0062: 4, null: 5}", "{\"$a_1\":1,\"été\":2,\"a b\":3,\"b\":4,\"null\":5}"),
        ("{a/* a */:/* b */1}", "{\"a\":1}"),
        ("[0x10, 0XfF, -0x1, +7, +.5, 5., 1e3, 1.5E-1]", "[16,255,-1,7,0.5,5.0,1000.0,0.15]"),
        ("[-0, -.5, -5., 5.e1, .5e+1, 0.0]", "[0,-0.5,-5.0,50.0,5.0,0.0]"),
        (
            "[9223372036854775807, -9223372036854775808, 9223372036854775808]",
            "[9223372036854775807,-9223372036854775808,9.223372036854776e+18]"
        ),
        ("'\\x41\\u0042\\ud83d\\ude00\\v\\0\\q\\''", "\"AB😀\\u000b\\u0000q'\""), ("'a\\\nb\\\r\nc\\\u{2028}d'", "\"abcd\""),
        ("'\u{2028}'", "\"\\u2028\""), ("'a\tb'", "\"a\\tb\""), ("true", "true"), (" null ", "null"),
    ])
    func `JSON5 is parsed as the equivalent JSON value`(_ text: String, _ json: String) throws {
        let document = JSON5Document(bytes: Array(text.utf8))
        #expect(document.problems.isEmpty)
        #expect(try #require(document.root).json == JSON(parsing: json), "\(text)")
    }

    @Test(arguments: [
        Fault("Infinity", "1:1: Infinity is no number here; write one that is finite"),
        Fault(
            "[-Infinity, +NaN]", "1:2: -Infinity is no number here; write one that is finite",
            "1:13: +NaN is no number here; write one that is finite"),
        Fault(
            "[01, 0x, 1e, .]", "1:2: 01 is no number, or too large for one", "1:6: 0x is no number, or too large for one",
            "1:10: 1e is no number, or too large for one", "1:14: . is no number, or too large for one"),
        Fault(
            "[.e1, 1.2.3, --1]", "1:2: .e1 is no number, or too large for one",
            "1:7: 1.2.3 is no number, or too large for one", "1:14: --1 is no number, or too large for one"),
        Fault("[+]", "1:2: a number is missing after the sign"),
        Fault("30s", "1:1: 30s is no value; a text needs quotes: \"30s\""),
        Fault("0x8000000000000000", "1:1: 0x8000000000000000 is no number, or too large for one"),
        Fault("'\\1'", "1:2: '\\1' is no escape; write a character by its number as \\u0041"),
        Fault(
            "'\\ud800'", "1:2: '\\ud800' is no character; \\x needs two hexadecimal digits and \\u four, both halves of a pair"),
        Fault("'a\nb'", "1:1: the text that begins here has no end in its line"),
        Fault("'a", "1:1: the text that begins here has no end in its line"),
        Fault("'a\\", "1:1: the text that begins here has no end in its line"),
        Fault("{a: 1, 'a': 2}", "1:8: 'a' is there twice in one object; the first one is in line 1"),
        Fault("{a 1}", "1:4: a ':' is missing after 'a'"), Fault("{a 'b'}", "1:4: a ':' is missing after 'a'"),
        Fault("{\\u+062: 1}", "1:2: the name \\u+062 needs quotes: \"\\u+062\""),
        Fault("{: 1}", "1:2: a member's name is missing before ':'"), Fault("{a: }", "1:5: a value is missing before '}'"),
        Fault("[1 2", "1:4: a ',' is missing before '2'", "1:5: the text ends here; the '[' of line 1, column 1 has no ']'"),
        Fault("[1}", "1:3: '}' is not expected here; the '[' of line 1, column 1 has no ']'"),
        Fault("1 2", "1:3: the value ends before '2', and nothing may follow it"),
        Fault("/", "1:1: '/' is not expected here; a comment begins with // or /*"),
        Fault(
            "\n\n é\u{7}", "3:2: é is no value; a text needs quotes: \"é\"",
            "3:3: the value ends before '\\u{7}', and nothing may follow it"),
        Fault("{a: n b: 1}", "1:5: n is no value; a text needs quotes: \"n\"", "1:7: a ',' is missing before 'b'"),
        Fault("[1 -2]", "1:4: a ',' is missing before '-'"), Fault("[true \"b\"]", "1:7: a ',' is missing before '\"'"),
        Fault(
            "{a: n > (3\n}", "1:5: n is no value; a text needs quotes: \"n\"", "1:7: a ',' is missing before '>'",
            "1:7: the name > needs quotes: \">\"", "1:9: a ':' is missing after '>'"),
        Fault("", "1:1: the text ends where a value should be"),
        Fault(
            "# one\n[1, ## two\r\n #\n2]", "1:1: a comment begins with //, not with #",
            "2:5: a comment begins with //, not with #", "3:2: a comment begins with //, not with #"),
        Fault("[#list]", "1:2: #list is no value; a text needs quotes: \"#list\""),
        Fault("// only\r\n// comments", "2:12: the text ends where a value should be"),
    ])
    func `A text that is not JSON5 is reported with the position of each fault`(_ fault: Fault) {
        #expect(told(fault.text) == fault.told)
    }

    @Test(arguments: [
        Fault("{a: n > 3, b: n + 1}", #"1:5 "n > 3""#, #"1:15 "n + 1""#),
        Fault("[1 + n, -n * 2, 30 s, n - 1]", #"1:2 "1 + n""#, #"1:9 "-n * 2""#, #"1:17 "30 s""#, #"1:23 "n - 1""#),
        Fault(
            "[f(a, b) > 3, it's, l[1] == 2 // c\n, true and x]", #"1:2 "f(a, b) > 3""#, #"1:15 "it's""#, #"1:21 "l[1] == 2""#,
            #"2:3 "true and x""#),
        Fault("{a: n == \"x, y\", b: Round {{ n }} of 3}", #"1:5 'n == "x, y"'"#, #"1:21 "Round {{ n }} of 3""#),
        Fault("[n == \"x\" or n == 'y' \n]", #"1:2 "n == \"x\" or n == 'y'""#),
    ])
    func `An expression or a text of several words without quotes is one fault`(_ fault: Fault) {
        let sentence = ": a text with spaces or signs needs quotes:"
        #expect(told(fault.text).map { $0.replacing(sentence, with: "") } == fault.told)
    }

    @Test(arguments: ["“s3”", "“a, b”", "„x“", "“x\"", "“x\n", "{“a”: 1}", "{b: [“c”], d: 2}"])
    func `A text in typographic quotes is one fault`(_ text: String) {
        let faults = told(text)
        #expect(faults.count == 1 && faults[0].contains("is a typographic quote: type a plain \" instead"), "\(faults)")
        #expect(told("[‘it is’]") == ["1:2: ‘ is a typographic quote: type a plain ' instead"])
    }

    /// At most one problem for each level of nesting, up to the depth limit.
    @Test(arguments: ["[", "{a:", "[[1],", "{a:[", "/*", "'", "{'a':1,", "-", "[1,,", "\\"])
    func `A megabyte of one repeated piece is reported in at most 20 short sentences`(_ piece: String) {
        let document = JSON5Document(bytes: Array(String(repeating: piece, count: (1 << 20) / piece.utf8.count).utf8))
        #expect((1...20).contains(document.problems.count) && document.problems.allSatisfy { $0.problem.utf8.count < 300 })
    }

    @Test func `JSON5 may be nested as deeply as JSON`() {
        #expect(told(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)) == [])
        #expect(
            told(String(repeating: "[", count: 65) + String(repeating: "]", count: 65)) == [
                "1:65: more than 64 values inside each other"
            ])
    }

    @Test func `Every JSON text without repeated names is JSON5 of the same value`() throws {
        var maker = RandomJSON()
        for round in 0..<1_000 {
            let text = round % 2 == 0 ? maker.text() : maker.spoiled()
            let document = JSON5Document(bytes: Array(text.utf8))
            do throws(JSONError) {
                let value = try JSON(parsing: text)
                guard !value.repeatsNames else { continue }
                #expect(document.problems.isEmpty && document.root?.json == value, "\(text.debugDescription)")
            } catch {}
        }
    }

    @Test func `A JSON5 document has the position of each name and value`() throws {
        let document = JSON5Document(bytes: Array("{\n  // é\n  'é': 'ü', b:\r\n\t[1,\r{c: '😀'}]}".utf8))
        let members = try #require(document.root?.members)
        let names = members.map { "\($0.name) \(place($0.offset, document)) \(place($0.value.offset, document))" }
        #expect(names == ["é 3:3 3:8", "b 3:13 4:2"])
        guard case .array(let values) = members[1].value.content else { throw JSONError(at: 0, "no array") }
        #expect(values.map { place($0.offset, document) } == ["4:3", "5:1"])
        let inner = try #require(values[1].members?.first)
        #expect(place(inner.value.offset, document) == "5:5")
    }

    @Test func `A position within a text takes its escapes into account`() throws {
        let document = JSON5Document(bytes: Array("  'a\\'b\\u0041\\\nc'".utf8))
        let offset = try #require(document.root).offset
        let places = (0...5).map { place(document.offset(ofByte: $0, inTextAt: offset), document) }
        #expect(places == ["1:4", "1:5", "1:7", "1:8", "1:14", "2:2"])
    }

    @Test func `Columns are counted once in a line of 50,000 values`() {
        let document = JSON5Document(bytes: Array("[\(String(repeating: "'é',", count: 50_000))]".utf8))
        #expect(document.problems.isEmpty)
        #expect((0..<50_000).allSatisfy { document.positions[1 + $0 * 5] == TextPosition(line: 1, column: 2 + $0 * 4) })
    }

    // MARK: -

    struct Fault: Sendable {
        let text: String
        let told: [String]

        init(_ text: String, _ told: String...) {
            self.text = text
            self.told = told
        }
    }

    private func told(_ text: String) -> [String] {
        let document = JSON5Document(bytes: Array(text.utf8))
        return document.problems.map { "\(place($0.offset, document)): \($0.problem)" }
    }

    private func place(_ offset: Int, _ document: JSON5Document) -> String {
        "\(document.positions[offset].line):\(document.positions[offset].column)"
    }
}

extension JSON {
    fileprivate var repeatsNames: Bool {
        switch self {
        case .object(let members):
            Set(members.map(\.name)).count < members.count || members.contains { $0.value.repeatsNames }
        case .array(let values): values.contains(where: \.repeatsNames)
        case .null, .bool, .integer, .number, .string: false
        }
    }
}

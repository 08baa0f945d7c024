// A scenario's text: how it is parsed, and its errors.

import RESP
import Testing
import GameFlow
@testable import Simulation

@Suite struct `A scenario's text` {
    @Test func `A scenario has one step per line, with comments and blank lines between them`() throws {
        let scenario = try Scenario(
            parsing: "# a story\n\n  new room game   # begins\n\tadvance 1s\r\nexpect room introduction\r\n", path: "it")
        #expect(scenario.steps.map(\.line) == [3, 4, 5])
        #expect(scenario.steps.map(\.text) == ["new room game", "advance 1s", "expect room introduction"])
    }

    @Test func `A scenario is read completely, and all errors are reported at once, with file and line`() {
        let text = """
            new room game
            snd room startPlaying
            send room
            expect room
            expect room introduction episode
            expect-timer room help soon
            expect-paused room maybe
            expect-version room many
            expect-error notransition send room x
            send room 'x
            startup unknown 1 2
            expect-data room a {broken
            """
        #expect(
            faults(text) == [
                "it.scenario:2: unknown step 'snd'; did you mean 'send'?",
                "it.scenario:3: wrong number of arguments for 'SEND'; usage: SEND session event [payload] [IF version] [ID id]",
                "it.scenario:4: wrong number of words for 'expect'; the step is: expect SESSION STATE [PATH=VALUE …]",
                "it.scenario:5: 'episode' is not PATH=VALUE, like episode=3",
                "it.scenario:6: 'soon' is not a duration; write it like 90s, 1m30s, 250ms, or a number of milliseconds",
                "it.scenario:7: 'maybe' is neither yes nor no",
                "it.scenario:8: 'many' is not a number of changes",
                "it.scenario:9: 'notransition' is not a code; codes are in capitals, like NOTRANSITION",
                "it.scenario:10: unbalanced quotes in request: close each quote, add a blank after it, and put JSON in single quotes, '{\"a\":1}'",
                "it.scenario:11: the step is: \(StandInDirective.startup)",
                "it.scenario:12: '{broken' is not JSON: a member's name in quotes is missing at byte 2",
            ])
    }

    @Test(arguments: [
        ("startup login silent now", StandInDirective.startup), ("startup login ann smith", StandInDirective.startup),
        ("startup login fails two words", StandInDirective.startup), ("startup saved ann smith", StandInDirective.startup),
        ("onboarding account Ann Smith", StandInDirective.onboarding),
        ("onboarding account silent now", StandInDirective.onboarding),
        ("onboarding checks silent now", StandInDirective.onboarding),
    ])
    func `A step that sets a flow's results is refused with a word too many`(line: String, usage: String) {
        let found = faults(line)
        #expect(found.count == 1 && found.first?.hasSuffix("the step is: \(usage)") == true, "\(found)")
    }

    @Test func `A byte order mark at a scenario's beginning is ignored`() throws {
        let scenario = try Scenario(parsing: "\u{FEFF}new room game\nexpect room introduction\n", path: "it")
        #expect(scenario.steps.map(\.text) == ["new room game", "expect room introduction"])
        #expect(scenario.run().isGood)
    }

    @Test(arguments: [
        ("\u{200B}expect room introduction", #"\u{200b}expect"#, "200B"),
        ("ex\u{AD}pect room introduction", "ex\u{AD}pect", "00AD"),
        ("expect\u{A0}room introduction", "expect\u{A0}room", "00A0"),
        ("\u{FEFF}expect room introduction", #"\u{feff}expect"#, "FEFF"),
    ]) func `A step with an invisible character or a special blank is refused with the number of that character`(
        line: String, shown: String, number: String
    ) {
        let fault =
            "it.scenario:2: unknown step '\(shown)': it contains the character U+\(number), which is invisible or looks like a blank; "
            + "delete it, or write a blank"
        #expect(faults("new room game\n" + line) == [fault])
    }

    @Test(arguments: ["", "# nothing but a comment\n\n"])
    func `A scenario without a step is refused`(text: String) {
        #expect(faults(text) == ["it.scenario: it has no steps"])
    }

    @Test(arguments: ["xyzzy room", "*3", "'' room"])
    func `An unknown step is refused with the list of known steps`(line: String) {
        #expect(faults(line).first?.contains("a step is a command of the daemon, or one of expect, expect-data") == true)
    }

    @Test func `A scenario that is missing is reported with its path`() {
        let fault = #expect(throws: ScenarioFault.self) { try Scenario(path: "/nowhere/it.scenario") }
        #expect(fault?.description == "/nowhere/it.scenario: there is no such file")
    }
}

@Suite struct `A line of a scenario` {
    @Test(arguments: [
        ("a b  c", ["a", "b", "c"]), (" 'a b' \"c\\n\" ", ["a b", "c\n"]), ("message='x y'", ["message=x y"]), ("", []),
        ("''", [""]), ("*1", ["*1"]),
    ])
    func `A line of a scenario is split into words like an inline request`(line: String, words: [String]) throws {
        #expect(try LineWords.split(line) == words)
    }

    @Test(arguments: [
        ("# all", ""), ("a # b", "a "), ("a #b", "a "), ("a#b", "a#b"), ("a '# b'", "a '# b'"), ("a '#' # b", "a '#' "),
        ("a '# b", "a '# b"), ("\t#", "\t"),
    ])
    func `A comment is removed from a line, unless its hash is in quotes or in a word`(line: String, rest: String) {
        #expect(LineWords.uncommented(line) == rest)
    }

    @Test func `A comment begins at the first hash before which the line's words can be split`() {
        let characters: [Character] = [" ", "#", "'", "\"", "\\", "x", "\u{B}", "\u{A0}"]
        var lines = [""]
        for _ in 0..<5 {
            lines = lines.flatMap { line in characters.map { line + String($0) } }
            let wrong = lines.filter { LineWords.uncommented($0) != Self.uncommentedBySplitting($0) }
            #expect(wrong.isEmpty, "\(wrong.prefix(5))")
        }
    }

    private static func uncommentedBySplitting(_ line: String) -> String {
        let starts = line.indices.filter { index in
            line[index] == "#" && (index == line.startIndex || line[line.index(before: index)].isWhitespace)
        }
        return starts.lazy.map { String(line[..<$0]) }.first { (try? LineWords.split($0)) != nil } ?? line
    }

    @Test func `A line with very many hashes in quotes is read in one pass`() {
        let quoted = "send a b '" + String(repeating: "# ", count: 200_000) + "'"
        #expect(LineWords.uncommented(quoted + " # all") == quoted + " ")
    }
}

// gamectl's commands on flow files, without a daemon.

import Foundation
import TestSupport
import Testing

@Suite struct `gamectl with flow files` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
        return "\(folder.path)/\(name)"
    }

    /// Runs gamectl and removes the directory from its output.
    private func gamectl(_ words: String...) throws -> (output: String, errors: String, status: Int32) {
        let result = try Program(gamectlPath, words, environment: ["GAMED_SOCKET": "/nowhere"])
        let short = { (text: String) in text.replacing(folder.path + "/", with: "") }
        return (short(result.output), short(result.errors), result.status)
    }

    private let turns = """
        {
          id: "turns",
          events: { pass: { label: "Pass the turn" } },
          initial: "first",
          states: {
            first: { on: { pass: "second" }, after: { "30s": { name: "turn", target: "second" } } },
            second: { on: { pass: "first" }, after: { "30s": { name: "other", target: "first" } } },
          },
        }
        """

    @Test func `gamectl new-flow writes a valid flow and a scenario that passes`() throws {
        let begun = try gamectl("new-flow", "lamp", folder.path)
        #expect(begun.status == 0)
        #expect(
            begun.output.hasPrefix(
                "lamp.json5 and lamp.scenario are written. Next:\n  gamectl check lamp.json5\n  gamectl test lamp.scenario\n  gamed --flows "
            ), "\(begun)")
        let checked = try gamectl("check", "--strict", "\(folder.path)/lamp.json5")
        #expect(checked == ("lamp.json5: lamp, 3 states, 1 event, 1 timer: no problems\n", "", 0))
        let tested = try gamectl("test", "\(folder.path)/lamp.scenario")
        #expect(tested.status == 0 && tested.output.contains("ok 1 - lamp.scenario (24 steps, "), "\(tested)")
        let again = try gamectl("new-flow", "lamp", folder.path)
        #expect(again == ("", "gamectl: cannot write lamp.json5: it already exists\n", 74))
    }

    @Test func `gamectl new-flow exits with status 74 if it cannot write into the directory`() throws {
        let nowhere = try gamectl("new-flow", "lamp", folder.path + "/none")
        #expect(nowhere.status == 74 && nowhere.output.isEmpty, "\(nowhere)")
        #expect(nowhere.errors == "gamectl: cannot write none/lamp.json5: No such file or directory\n")
    }

    @Test func `gamectl new-flow suggests next commands with the address in use`() throws {
        let path = folder.path + "/own.sock"
        let begun = try Program(gamectlPath, ["new-flow", "lamp", folder.path], environment: ["GAMED_SOCKET": path])
        #expect(begun.output.contains("  gamed --flows \(folder.path) --socket \(path)\n"), "\(begun)")
        #expect(begun.output.contains("  gamectl --socket \(path) new room lamp\n"), "\(begun)")
        #expect(begun.output.hasSuffix("  gamectl --socket \(path) send room press\n"), "\(begun)")
        let daemon = try RunningDaemon.virtual(["--flows", folder.path])
        #expect(try daemon.gamectl("new", "room", "lamp").output == "off\n")
        #expect(try daemon.gamectl("send", "room", "press").output == "on\n")
        let far = try gamectl("--connect", "venue.example:7654", "new-flow", "light", folder.path)
        #expect(far.output.contains("  gamectl --connect venue.example:7654 new room light\n"), "\(far)")
    }

    @Test func `gamectl new-flow quotes paths with blanks in the commands that it suggests`() throws {
        let folder = folder.path + "/my flows"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let begun = try Program(gamectlPath, ["new-flow", "lamp", folder], environment: ["GAMED_SOCKET": "/a b.sock"])
        for command in ["gamectl check '\(folder)/lamp.json5'", "gamectl test '\(folder)/lamp.scenario'"] {
            #expect(begun.output.contains("\n  \(command)\n"), "\(begun)")
        }
        #expect(begun.output.contains("  gamed --flows '\(folder)' --socket '/a b.sock'\n"), "\(begun)")
        #expect(begun.output.contains("  gamectl --socket '/a b.sock' new room lamp\n"), "\(begun)")
    }

    @Test(arguments: ["", "1st", "a/b", "ümlaut", "a b", String(repeating: "a", count: 65)])
    func `gamectl new-flow refuses an invalid name and writes nothing`(name: String) throws {
        let result = try gamectl("new-flow", name, folder.path)
        #expect(result.status == 64 && result.errors.contains("is not a name for a flow"), "\(result)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(arguments: ["turns", "game"])
    func `gamectl new-flow refuses the name of a built-in flow and writes nothing`(name: String) throws {
        let result = try gamectl("new-flow", name, folder.path)
        let sentence = "gamectl: there is a flow '\(name)' in the program itself; give this one another name\n"
        #expect(result == ("", sentence, 64))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `gamectl check reports each mistake with file, line and column, and checks the other files`() throws {
        _ = try write("{\n  id: \"a\",\n  intial: \"x\",\n  states: { x: { on: { go: \"y\" } } },\n}", to: "a.json5")
        _ = try write(turns, to: "b.json5")
        let result = try gamectl("check", folder.path)
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 65 && lines.count >= 3, "\(result)")
        #expect(lines.dropLast().allSatisfy { $0.hasPrefix("a.json5:") && $0.contains(": error: ") }, "\(result)")
        #expect(lines[0].hasPrefix("a.json5:3:3: error: ") && lines[0].contains("initial"), "\(result)")
        #expect(lines.last == "b.json5: turns, 2 states, 1 event, 2 timers: no problems")
        #expect(try gamectl("check", "/nowhere/at/all.json5").status == 74)
        #expect(try gamectl("check").status == 64)
        let scenario = try gamectl("check", "a.scenario")
        #expect(scenario.status == 65 && scenario.errors.contains("is a scenario; gamectl test reads it"), "\(scenario)")
        let json = try gamectl("--json", "check", "\(folder.path)/a.json5")
        #expect(
            json.output.hasPrefix(#"{"file":"a.json5","ok":false,"problems":[{"severity":"error","line":3,"column":3,"#),
            "\(json)")
    }

    @Test func `gamectl check refuses two files with one id, unless each is compared with a flow`() throws {
        _ = try write(turns, to: "a.json5")
        let second = try write(turns, to: "b.json5")
        let result = try gamectl("check", folder.path)
        let sentence = "there is a flow 'turns' in a.json5 already; give one of them another id"
        #expect(result.status == 65 && result.output.hasSuffix("\nb.json5:1:1: error: \(sentence)\n"), "\(result)")
        #expect(try gamectl("check", folder.path, "--same-as", second).status == 0)
    }

    @Test func `gamectl check of a directory skips the schema file`() throws {
        _ = try write(turns, to: "turns.json5")
        _ = try write(gamectl("schema").output, to: "flow.schema.json")
        #expect(try gamectl("check", folder.path).output == "turns.json5: turns, 2 states, 1 event, 2 timers: no problems\n")
    }

    @Test func `gamectl check explores the states of parallel regions`() throws {
        let regions = """
            { id: "regions", type: "parallel", states: {
                one: { states: { a: { on: { go: "b" } }, b: { on: { go: "a" } } } },
                two: { states: { c: { on: { go: "d" } }, d: {}, e: {} } } } }
            """
        let result = try gamectl("check", "--verbose", write(regions, to: "regions.json5"))
        #expect(
            result.output.split(separator: "\n").filter { $0.contains("note") } == [
                "regions.json5: note: 'two.e' was not reached by exploring",
                "regions.json5: note: exploring found nothing that leads out of 'two.d', which is not final",
            ], "\(result)")
    }

    @Test func `gamectl check warns of an invoked flow that is in none of several files and not built in`() throws {
        let party = try write(
            "{ id: 'party', states: { a: { invoke: [{ flow: 'trns' }, { id: 'b', flow: 'turns' }, { id: 'c', flow: 'mine' }] } } }",
            to: "party.json5")
        #expect(try gamectl("check", party).output.hasSuffix(": no problems\n"), "the others may be elsewhere")
        _ = try write(turns.replacing("\"turns\"", with: "\"mine\""), to: "mine.json5")
        let result = try gamectl("check", folder.path)
        #expect(result.status == 0)
        #expect(
            result.output.split(separator: "\n").filter { $0.hasPrefix("party") } == [
                "party.json5:1:48: warning: it invokes the flow 'trns', which does not exist here; did you mean 'turns'?",
                "party.json5: party, 1 state, 0 events, 0 timers: 1 warning",
            ], "\(result)")
    }

    @Test func `gamectl check treats a warning as an error only with --strict`() throws {
        let path = try write(
            turns.replacing("states: {", with: "states: { nobodyComesHere: { on: { pass: \"first\" } },"), to: "t.json5")
        let (loose, strict) = (try gamectl("check", path), try gamectl("check", "--strict", path))
        #expect(loose.output.contains(": warning: ") && loose.output.hasSuffix(": 1 warning\n"), "\(loose)")
        #expect(loose.status == 0 && strict.status == 65)
    }

    @Test func `gamectl check reports unreached states only with --verbose`() throws {
        let secret = turns.replacing("pass: \"second\"", with: "pass: { guard: \"event.code == 4711\", target: \"third\" }")
            .replacing("second: {", with: "third: {}, second: {")
            .replacing("label: \"Pass the turn\"", with: "payload: { code: { type: \"integer\" } }")
        let path = try write(secret, to: "t.json5")
        #expect(try gamectl("check", path).output.hasSuffix(": no problems\n"))
        let told = try gamectl("check", "--verbose", path)
        #expect(told.status == 0)
        #expect(told.output.contains("t.json5: note: 'third' was not reached by exploring\n"), "\(told)")
    }

    @Test func `gamectl check prints the shortest path on which two flows differ`() throws {
        let path = try write(turns, to: "turns.json5")
        let copy = try write(turns.replacing("other", with: "turn2"), to: "copy.json5")
        #expect(try gamectl("check", path, "--same-as", path).output.contains(": the same, in 2 states and "))
        let different = try gamectl("check", path, "--same-as", copy)
        #expect(different.status == 1)
        #expect(
            different.output.hasSuffix(
                "copy.json5 vs turns.json5: after pass: in 'second', the countdown 'turn2' with 30s left against the countdown 'other' with 30s left\n"
            ), "\(different)")
        #expect(try gamectl("check", path, "--same-as", "trns").errors.contains("did you mean 'turns'?"))
        #expect(try gamectl("check", path, "--same-as", "\(folder.path)/none.json5").status == 74)
        #expect(try gamectl("diagram", "\(folder.path)/none.json5").status == 74)
    }

    @Test func `gamectl test runs scenarios with the flows of a file or directory`() throws {
        let path = try write(turns.replacing("\"turns\"", with: "\"mine\""), to: "mine.json5")
        let scenario = try write("new m mine\nsend m pass\nexpect m second", to: "it.scenario")
        #expect(try gamectl("test", "--flows", path, scenario).status == 0)
        #expect(try gamectl("test", "--flows", folder.path, scenario).status == 0)
        #expect(try gamectl("test", scenario).status == 65)
        #expect(try gamectl("test", "--flows", folder.path + "/none.json5", scenario).status == 74)
        _ = try write("{", to: "broken.json5")
        let broken = try gamectl("test", "--flows", folder.path, scenario)
        #expect(broken.status == 65 && broken.errors.contains("broken.json5:1:"), "\(broken)")
    }

    @Test func `gamectl diagram draws a flow file without a daemon`() throws {
        let path = try write(turns, to: "turns.json5")
        _ = try write(turns.replacing("\"turns\"", with: "\"mine\""), to: "mine.json5")
        let drawn = try gamectl("diagram", path, "mermaid")
        #expect(drawn.status == 0 && drawn.output.hasPrefix("flowchart TD\n"), "\(drawn)")
        #expect(drawn.output.contains("[\"second\"]"))
        #expect(try gamectl("diagram", path).output.hasPrefix("digraph \"turns\""))
        #expect(try gamectl("diagram", path, "PNG").status == 64)
        let picture = try gamectl("diagram", path, "svg").output
        let daemon = try RunningDaemon.virtual(["--flows", path.replacing("turns.json5", with: "mine.json5")])
        #expect(picture.hasPrefix("<svg ") && picture.contains(">second</text>"))
        #expect(try daemon.gamectl("diagram", "mine", "SVG").output == picture.replacing(">turns<", with: ">mine<"))
        #expect(try gamectl("diagram", "turns").status == 2)
    }

    @Test func `gamectl replay of a session requires its flow file`() throws {
        let path = try write(turns.replacing("\"turns\"", with: "\"mine\""), to: "mine.json5")
        let daemon = try RunningDaemon.virtual(["--flows", path, "--session", "m=mine"])
        for words in [["send", "m", "pass"], ["advance", "40s"], ["send", "m", "pass"]] {
            #expect(try Program(gamectlPath, words, environment: ["GAMED_SOCKET": daemon.socketPath]).status == 0)
        }
        #expect(try daemon.gamectl("replay", "m", "--flows", path).output == "m: 3 events, ends in 'second' as recorded\n")
        let without = try daemon.gamectl("replay", "m")
        #expect(without.status == 1 && without.errors.contains("which gamectl does not have"), "\(without)")
        let other = try write(
            turns.replacing("\"turns\"", with: "\"mine\"").replacing("target: \"first\"", with: "target: \"second\""),
            to: "other.json5")
        #expect(try daemon.gamectl("replay", "m", "--flows", other).status == 1)
    }

    @Test func `gamectl schema prints the schema that is checked in`() throws {
        let checkedIn = try String(contentsOf: packageRoot.appending(path: "docs/flow.schema.json"), encoding: .utf8)
        #expect(try gamectl("schema").output == checkedIn)
    }
}

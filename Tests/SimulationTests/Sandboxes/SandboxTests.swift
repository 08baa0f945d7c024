// One flow tried in virtual time, forward and back. Later steps are kept until a new one replaces them.

import BuiltInFlows
import GameFlow
import Simulation
import TestSupport
import Testing

@Suite struct `A sandbox` {
    private static var flows: [FlowKind] { RehearsedFlows.builtIn.makeIdle() }

    private func game() throws -> Sandbox {
        try Sandbox.unsliced(#require(Self.flows.first { $0.name == "game" }), of: Self.flows)
    }

    @Test func `A sandbox starts at once, and is shown like a session`() throws {
        let sandbox = try game()
        #expect(sandbox.state == "introduction")
        #expect((sandbox.now, sandbox.shownEnd, sandbox.next) == (0, 0, nil))
        #expect(sandbox.shownLines == ["0 ui NEW introduction"])
        #expect(sandbox.json["limit_ms"]?.integer == 30 * 86_400_000)
        #expect(sandbox.json["view"]?["actions"] != nil)
        #expect(sandbox.id.count == 32 && sandbox.id.allSatisfy(\.isHexDigit))
    }

    @Test func `A sandbox's timers fire in order, at their instants, on the way to a later instant`() throws {
        let sandbox = try game()
        try sandbox.send("startPlaying")
        try sandbox.run(to: 29_999)
        #expect(sandbox.state == "choosingEpisode")
        try sandbox.send("chooseEpisode", payload: 3)
        try sandbox.run(to: 70_000)
        #expect(
            sandbox.shownLines == [
                "0 ui NEW introduction", "0 ui startPlaying choosingEpisode", "29999 ui chooseEpisode choosingLevel",
                "59999 timer timeIsUp choosingEpisode",
            ])
        #expect(sandbox.next == 19_999)
    }

    @Test func `Going back in a sandbox runs it again from its start, and going forward runs the kept steps`() throws {
        let sandbox = try game()
        try sandbox.send("startPlaying")
        try sandbox.run(to: 10_000)
        try sandbox.send("chooseEpisode", payload: 2)
        try sandbox.run(to: 20_000)
        let whole = sandbox.json["lines"]
        try sandbox.run(to: 5_000)
        #expect((sandbox.state, sandbox.now, sandbox.shownEnd) == ("choosingEpisode", 5_000, 20_000))
        #expect(sandbox.stepTimes == [0, 10_000])
        try sandbox.run(to: 20_000)
        #expect(sandbox.state == "choosingLevel")
        #expect(sandbox.json["lines"] == whole)
    }

    @Test func `A step after going back in a sandbox discards later steps, unless it is refused`() throws {
        let sandbox = try game()
        try sandbox.send("startPlaying")
        try sandbox.run(to: 10_000)
        try sandbox.send("chooseEpisode", payload: 2)
        try sandbox.run(to: 5_000)
        #expect(errorCode { try sandbox.send("chooseLevel", payload: 1) } == "NOTRANSITION")
        #expect(sandbox.stepTimes == [0, 5_000, 10_000])
        #expect(sandbox.shownLines.last == "5000 ui chooseLevel NOTRANSITION choosingEpisode")
        try sandbox.run(to: 11_000)
        #expect(sandbox.state == "choosingLevel")
        try sandbox.run(to: 5_000)
        try sandbox.send("chooseEpisode", payload: 4)
        #expect((sandbox.stepTimes, sandbox.shownEnd) == ([0, 5_000, 5_000], 5_000))
    }

    @Test func `The next instant of a sandbox is that of its next timer or kept step`() throws {
        let sandbox = try game()
        #expect(errorCode { try sandbox.seekToNext() } == "NOTIMER")
        try sandbox.send("startPlaying")
        try sandbox.run(to: 10_000)
        try sandbox.send("chooseEpisode", payload: 2)
        try sandbox.run(to: 0)
        #expect(sandbox.state == "choosingEpisode")
        try sandbox.seekToNext()
        try sandbox.runToGoal()
        #expect((sandbox.now, sandbox.state) == (10_000, "choosingLevel"))
        try sandbox.seekToNext()
        try sandbox.runToGoal()
        #expect((sandbox.now, sandbox.state) == (40_000, "choosingEpisode"))
    }

    @Test func `Operator actions on time are steps of a sandbox, and are run again`() throws {
        let sandbox = try game()
        try sandbox.send("startPlaying")
        try sandbox.run(to: 1_000)
        try sandbox.pause()
        try sandbox.run(to: 3_600_000)
        #expect(sandbox.state == "choosingEpisode")
        try sandbox.resume()
        try sandbox.extend("choosingEpisode", by: "1m")
        try sandbox.pause("choosingEpisode")
        try sandbox.resume("choosingEpisode")
        #expect(sandbox.next == 89_000)
        try sandbox.force("choosingLevel", data: ["episode": 4])
        #expect(sandbox.state == "choosingLevel")
        let lines = sandbox.shownLines
        try sandbox.run(to: 2_000)
        try sandbox.run(to: 3_600_000)
        #expect(sandbox.shownLines == lines)
        #expect(sandbox.stepTimes == [0, 1_000] + Array(repeating: 3_600_000, count: 5))
        #expect(errorCode { try sandbox.extend("nothing", by: "1m") } == "NOTIMER")
        #expect(sandbox.stepTimes.count == 7)
    }

    @Test func `A sandbox restarts with other parameters, or is unchanged if they are invalid`() throws {
        let kind = try FlowKind.chart(text: counterFlow)
        let sandbox = try Sandbox.unsliced(kind, of: [kind], context: ["n": 5])
        try sandbox.send("add", payload: ["by": 1])
        try sandbox.run(to: 3_000)
        #expect(sandbox.json["view"]?["title"]?.text == "11")
        #expect(errorCode { try sandbox.restart(context: ["n": "many"]) } == "BADEVENT")
        #expect((sandbox.now, sandbox.json["view"]?["title"]?.text) == (3_000, "11"))
        try sandbox.restart()
        #expect((sandbox.now, sandbox.shownEnd, sandbox.stepTimes) == (0, 0, []))
        #expect(sandbox.json["view"]?["title"]?.text == "5")
        try sandbox.restart(context: ["n": 7])
        #expect(sandbox.json["view"]?["title"]?.text == "7")
    }

    @Test func `A sandbox starts in a given state with its data, and again there after a restart`() throws {
        let game = FlowKind.flow(Game.self)
        let sandbox = try Sandbox(
            flow: game, flows: [game], state: "choosingLevel", data: ["episode": 3], within: SandboxSlice(.seconds(3_600)))
        #expect(sandbox.json["view"]?["state"] == "choosingLevel" && sandbox.json["view"]?["data"]?["episode"] == 3)
        try sandbox.send("chooseLevel", payload: 2)
        try sandbox.restart()
        #expect(sandbox.json["view"]?["state"] == "choosingLevel")
        #expect(errorCode { _ = try Sandbox(flow: game, flows: [game], state: "cellar") } != nil)
        #expect(
            errorCode { _ = try Sandbox(flow: game, flows: [game], state: "choosingLevel", data: ["episode": 9]) } == "BADEVENT"
        )
    }

    @Test func `A sandbox refuses hostile names and payloads with an error`() throws {
        let kind = try FlowKind.chart(text: counterFlow)
        let sandbox = try Sandbox.unsliced(kind, of: [kind])
        let hostile = "<script>alert(\"\u{202E}\")</script>\u{0}\r\n" + String(repeating: "🧨", count: 60)
        #expect(errorCode { try sandbox.send(hostile) } == "BADEVENT")
        #expect(errorCode { try sandbox.pause(hostile) } == "NOTIMER")
        #expect(errorCode { try sandbox.force(hostile) } == "BADEVENT")
        #expect(errorCode { try sandbox.extend("turn", by: hostile) } == "ERR")
        #expect(errorCode { try sandbox.send("say", payload: ["text": 3], to: hostile) } == "NOSESSION")
        #expect(errorCode { try sandbox.send("say", payload: ["text": .string(hostile)]) } == "BADEVENT")
        let words = hostile.replacing("\u{0}", with: "")
        try sandbox.send("say", payload: ["text": .string(words)])
        #expect(sandbox.json["view"]?["data"]?["words"]?.text?.contains("<SCRIPT>ALERT") == true)
        #expect(errorCode { try sandbox.send("say", payload: .string(String(repeating: "x", count: 70_000))) } == "LIMIT")
        #expect(errorCode { _ = try Sandbox.unsliced(kind, of: [kind], context: .string(hostile)) } != nil)
        let json = sandbox.json
        #expect(try JSON(parsing: json.description) == json)
    }
}

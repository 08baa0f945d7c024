// RESTART restarts a session in one turn.

import RESP
import TestSupport
import Testing

@Suite struct `A session that is restarted` {
    @Test func `RESTART returns a session to its initial state, with a new life and a new history`() throws {
        let daemon = try Rehearsed()
        daemon.say("NEW room game")
        daemon.say("SEND room startPlaying")
        daemon.say("PAUSE room")
        let life = try #require(daemon.life("room"))
        #expect(daemon.say("RESTART room").text == "introduction")
        #expect(daemon.life("room") == life + 1)
        #expect(daemon.say("STATE room")["version"]?.integer == 0)
        #expect(daemon.say("STATE room")["paused"]?.reply == .boolean(false))
        #expect(daemon.timers("room") == [])
        #expect(daemon.history("room") == ["begun RESTART ann"])
        #expect(daemon.say("ADVANCE 10m").integer == 0, "timers of its earlier life are gone")
        #expect(daemon.say("SESSIONS").list.last?.list.count == 1)
    }

    @Test func `RESTART keeps a session's parameters unless new ones are given`() throws {
        let daemon = try Rehearsed(counterFlow)
        daemon.say(#"NEW room counter {"context":{"n":5}}"#)
        daemon.say("SEND room add 1")
        #expect(daemon.data("room") == #"{"n":11,"words":""}"#)
        for _ in 0..<2 {
            daemon.say("RESTART room")
            #expect(daemon.data("room") == #"{"n":5,"words":""}"#)
        }
        #expect(daemon.say("HISTORY room").list.first?["payload"]?.text == #"{"context":{"n":5,"words":""}}"#)
        daemon.say(#"RESTART room {"context":{"n":7}}"#)
        #expect(daemon.data("room") == #"{"n":7,"words":""}"#)
        daemon.say("RESTART room")
        #expect(daemon.data("room") == #"{"n":7,"words":""}"#)
        #expect(daemon.say(#"RESTART room {"state":"down"}"#).text == "down")
        #expect(daemon.data("room") == #"{"n":1,"words":""}"#)
    }

    @Test func `RESTART with invalid parameters is refused and changes nothing`() throws {
        let daemon = try Rehearsed(counterFlow)
        daemon.say(#"NEW room counter {"context":{"n":5}}"#)
        daemon.say("SEND room add 1")
        let life = daemon.life("room")
        for bad in [#"{"context":{"n":"many"}}"#, #"{"state":"nowhere"}"#, "{"] {
            #expect(daemon.say("RESTART room \(bad)").code == .badEvent, "\(bad)")
        }
        #expect(daemon.say("RESTART nobody").code == .noSession)
        #expect(daemon.say("RESTART").isError)
        #expect((daemon.life("room"), daemon.data("room")) == (life, #"{"n":11,"words":""}"#))
        #expect(daemon.timers("room") == ["turn 10000"])
    }

    @Test func `Subscribers receive a restart as one dropped entry and one begun entry`() throws {
        let daemon = try Rehearsed()
        daemon.say("NEW room turns")
        daemon.say("SUBSCRIBE session:room")
        let messages = daemon.pushed(by: "RESTART room").filter { $0.contains("what") }
        #expect(messages.count == 2)
        #expect(messages.first?.contains(#""what":"dropped","seq":2"#) == true, "\(messages)")
        #expect(messages.last?.contains(#""what":"begun","seq":1"#) == true)
        #expect(messages.last?.contains(#""event":"RESTART""#) == true)
        #expect(messages.last?.contains(#""actor":"ann""#) == true)
    }

    @Test func `SEND with a version from before the restart is refused as stale`() throws {
        let daemon = try Rehearsed()
        daemon.say("NEW room turns")
        let life = try #require(daemon.life("room"))
        daemon.say("RESTART room")
        #expect(daemon.say("SEND room pass IF \(life):0").code == .stale)
        #expect(daemon.say("SEND room pass IF \(life + 1):0").text == "second")
    }

    static let parent = """
        { id: "parent", initial: "with", context: { heard: "" }, events: { leave: {} }, states: {
          with: { invoke: { id: "kid", flow: "kid" }, on: {
            leave: "alone",
            "error.invoke.kid": { actions: { assign: { heard: "heard .. 'e'" } } },
            "done.invoke.kid": { actions: { assign: { heard: "heard .. 'd'" } } } } },
          alone: {} } }
        """
    static let kid = """
        { id: "kid", initial: "young", events: { grow: {} }, states: {
          young: { on: { grow: "grown" }, after: { "20s": { name: "age", target: "grown" } } }, grown: { type: "final" } } }
        """

    @Test func `RESTART replaces a session's children, and a restarted child keeps its parent`() throws {
        let daemon = try Rehearsed(Self.parent, Self.kid)
        daemon.say("NEW room parent")
        let kid = try #require(daemon.life("room/kid"))
        #expect(daemon.say("RESTART room/kid").text == "young")
        #expect(daemon.data("room") == #"{"heard":""}"#)
        daemon.say("SEND room/kid grow")
        #expect(daemon.data("room") == #"{"heard":"d"}"#)
        #expect(daemon.say("RESTART room").text == "with")
        #expect(daemon.data("room") == #"{"heard":""}"#)
        #expect(daemon.state("room/kid") == "young")
        #expect(try #require(daemon.life("room/kid")) > kid + 1)
        daemon.say("SEND room leave")
        #expect(daemon.say("STATE room/kid").code == .noSession)
    }

    @Test(arguments: ["<script>alert(1)</script>", "\u{202E}evil", String(repeating: "🧨", count: 63), "a b\"'", "RESTART"])
    func `A session with any valid name can be created, restarted, dropped and restored`(name: String) throws {
        let daemon = try Rehearsed()
        #expect(daemon.say(["NEW", name, "turns"]).text == "first")
        daemon.say(["SEND", name, "pass"])
        #expect(daemon.say(["RESTART", name]).text == "first")
        daemon.say(["SEND", name, "pass"])
        #expect(daemon.say(["DROP", name]).integer == 1)
        #expect(daemon.say(["UNDROP", name]).text == "second")
        #expect(daemon.history(name) == ["begun UNDROP ann"])
    }
}

// RESTART restarts a session in one turn.

import RESP
import TestSupport
import Testing

@Suite struct `A session that is restarted` {
    @Test func `RESTART returns a session to its initial state, with a new life and a new history`() throws {
        let host = try HostUnderTest()
        host.run("NEW room game")
        host.run("SEND room startPlaying")
        host.run("PAUSE room")
        let life = try #require(host.life("room"))
        #expect(host.run("RESTART room").text == "introduction")
        #expect(host.life("room") == life + 1)
        #expect(host.run("STATE room")["version"]?.integer == 0)
        #expect(host.run("STATE room")["paused"]?.reply == .boolean(false))
        #expect(host.timers("room") == [])
        #expect(host.history("room") == ["begun RESTART ann"])
        #expect(host.run("ADVANCE 10m").integer == 0, "timers of its earlier life are gone")
        #expect(host.run("SESSIONS").list.last?.list.count == 1)
    }

    @Test func `RESTART keeps a session's parameters unless new ones are given`() throws {
        let host = try HostUnderTest(counterFlow)
        host.run(#"NEW room counter {"context":{"n":5}}"#)
        host.run("SEND room add 1")
        #expect(host.data("room") == #"{"n":11,"words":""}"#)
        for _ in 0..<2 {
            host.run("RESTART room")
            #expect(host.data("room") == #"{"n":5,"words":""}"#)
        }
        #expect(host.run("HISTORY room").list.first?["payload"]?.text == #"{"context":{"n":5,"words":""}}"#)
        host.run(#"RESTART room {"context":{"n":7}}"#)
        #expect(host.data("room") == #"{"n":7,"words":""}"#)
        host.run("RESTART room")
        #expect(host.data("room") == #"{"n":7,"words":""}"#)
        #expect(host.run(#"RESTART room {"state":"down"}"#).text == "down")
        #expect(host.data("room") == #"{"n":1,"words":""}"#)
    }

    @Test func `RESTART with invalid parameters is refused and changes nothing`() throws {
        let host = try HostUnderTest(counterFlow)
        host.run(#"NEW room counter {"context":{"n":5}}"#)
        host.run("SEND room add 1")
        let life = host.life("room")
        for bad in [#"{"context":{"n":"many"}}"#, #"{"state":"nowhere"}"#, "{"] {
            #expect(host.run("RESTART room \(bad)").code == .badEvent, "\(bad)")
        }
        #expect(host.run("RESTART nobody").code == .noSession)
        #expect(host.run("RESTART").isError)
        #expect((host.life("room"), host.data("room")) == (life, #"{"n":11,"words":""}"#))
        #expect(host.timers("room") == ["turn 10000"])
    }

    @Test func `Subscribers receive a restart as one dropped entry and one begun entry`() throws {
        let host = try HostUnderTest()
        host.run("NEW room turns")
        host.run("SUBSCRIBE session:room")
        let messages = host.pushed(by: "RESTART room").filter { $0.contains("what") }
        #expect(messages.count == 2)
        #expect(messages.first?.contains(#""what":"dropped","seq":2"#) == true, "\(messages)")
        #expect(messages.last?.contains(#""what":"begun","seq":1"#) == true)
        #expect(messages.last?.contains(#""event":"RESTART""#) == true)
        #expect(messages.last?.contains(#""actor":"ann""#) == true)
    }

    @Test func `SEND with a version from before the restart is refused as stale`() throws {
        let host = try HostUnderTest()
        host.run("NEW room turns")
        let life = try #require(host.life("room"))
        host.run("RESTART room")
        #expect(host.run("SEND room pass IF \(life):0").code == .stale)
        #expect(host.run("SEND room pass IF \(life + 1):0").text == "second")
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
        let host = try HostUnderTest(Self.parent, Self.kid)
        host.run("NEW room parent")
        let kid = try #require(host.life("room/kid"))
        #expect(host.run("RESTART room/kid").text == "young")
        #expect(host.data("room") == #"{"heard":""}"#)
        host.run("SEND room/kid grow")
        #expect(host.data("room") == #"{"heard":"d"}"#)
        #expect(host.run("RESTART room").text == "with")
        #expect(host.data("room") == #"{"heard":""}"#)
        #expect(host.state("room/kid") == "young")
        #expect(try #require(host.life("room/kid")) > kid + 1)
        host.run("SEND room leave")
        #expect(host.run("STATE room/kid").code == .noSession)
    }

    @Test(arguments: ["<script>alert(1)</script>", "\u{202E}evil", String(repeating: "🧨", count: 63), "a b\"'", "RESTART"])
    func `A session with any valid name can be created, restarted, dropped and restored`(name: String) throws {
        let host = try HostUnderTest()
        #expect(host.run(["NEW", name, "turns"]).text == "first")
        host.run(["SEND", name, "pass"])
        #expect(host.run(["RESTART", name]).text == "first")
        host.run(["SEND", name, "pass"])
        #expect(host.run(["DROP", name]).integer == 1)
        #expect(host.run(["UNDROP", name]).text == "second")
        #expect(host.history(name) == ["begun UNDROP ann"])
    }
}

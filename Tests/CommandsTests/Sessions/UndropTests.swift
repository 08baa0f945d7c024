// UNDROP restores a dropped session.

import BuiltInFlows
import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Sessions

@Suite struct `A session restored by UNDROP` {
    @Test func `UNDROP restores a session's data and timers as they were when it was dropped`() throws {
        let host = try HostUnderTest()
        host.run("NEW room game")
        for line in ["startPlaying", "chooseEpisode 2", "chooseLevel 3"] { host.run("SEND room \(line)") }
        host.run("ADVANCE 4500ms")
        host.run("EXTEND room timeLimit 1m")
        host.run("PAUSE room tick")
        let (data, life) = (host.data("room"), try #require(host.life("room")))
        let timers = host.timers("room")
        #expect(host.run("DROP room").integer == 1)
        #expect(host.run("ADVANCE 9s").integer == 0)
        #expect(host.run("UNDROP room").text == "playingLevel")
        #expect((host.data("room"), host.timers("room")) == (data, timers))
        #expect(timers.contains("timeLimit 175500") && timers.contains { $0.hasSuffix(" paused") }, "\(timers)")
        #expect(host.life("room") == life + 1)
        #expect(host.run("STATE room")["version"]?.integer == 0)
        #expect(host.run("STATE room")["since_ms"]?.integer == 4_500)
        #expect(host.history("room") == ["begun UNDROP ann"])
        host.run("ADVANCE 175500ms")
        #expect(host.state("room") == "finishedLevel")
    }

    @Test func `UNDROP keeps a paused session paused, with its timers' remaining time`() throws {
        let host = try HostUnderTest()
        host.run("NEW room turns")
        host.run("ADVANCE 12345ms")
        host.run("PAUSE room")
        host.run("DROP room")
        host.run("ADVANCE 5s")
        host.run("UNDROP room")
        #expect(host.run("STATE room")["paused"]?.reply == .boolean(true))
        host.run("ADVANCE 1h")
        #expect(host.timers("room") == ["turn 17655 paused"])
        host.run("RESUME room")
        #expect(host.run("ADVANCE 17655ms").integer == 1)
    }

    @Test func `UNDROP restores the variables, parameters and timers of a session of a file's flow`() throws {
        let host = try HostUnderTest(counterFlow)
        host.run(#"NEW room counter {"context":{"n":5}}"#)
        host.run("SEND room add 1")
        host.run("ADVANCE 11s")
        let data = host.data("room")
        host.run("DROP room")
        host.run("ADVANCE 3s")
        #expect(host.run("UNDROP room").text == "down")
        #expect((host.data("room"), host.timers("room")) == (data, ["rest 4000"]))
        host.run("ADVANCE 4s")
        #expect(host.data("room") == #"{"n":111,"words":""}"#)
        host.run("RESTART room")
        #expect(host.data("room") == #"{"n":5,"words":""}"#)
    }

    @Test(arguments: [false, true])
    func `After UNDROP, the time between the drop and it is no part of what elapsed says`(waits: Bool) throws {
        let host = try HostUnderTest(
            """
            { id: "meter", context: { ms: 0 }, initial: "a", states: {
              a: { postpone: "later", on: { go: "b", ask: { actions: { assign: { ms: "elapsed" } } } } }, b: { on: { later: "a" } } } }
            """)
        host.run("NEW room meter")
        host.run("ADVANCE 4s")
        // With an event that waits, the drop itself makes the image.
        if waits { host.run("SEND room later") }
        host.run("DROP room")
        host.run("ADVANCE 5s")
        #expect(host.run("UNDROP room").text == "a")
        host.run("ADVANCE 1s")
        #expect(host.run("STATE room")["since_ms"]?.integer == 5_000)
        host.run("SEND room ask")
        #expect(host.data("room") == #"{"ms":5000}"#)
    }

    @Test func `UNDROP restores a session's postponed events`() throws {
        let host = try HostUnderTest()
        host.run("NEW app startup")
        host.run("SEND app deepLink /news/7")
        host.run("DROP app")
        host.run("UNDROP app")
        #expect(host.run("STATE app")["postponed"]?.list.map(\.text) == ["deepLink"])
    }

    @Test func `UNDROP is refused ten seconds after the drop, or after undo-ms`() throws {
        let host = try HostUnderTest()
        host.run("NEW room turns")
        host.run("DROP room")
        host.run("ADVANCE 10001ms")
        let late = host.run("UNDROP room")
        #expect(late.code == .noSession)
        #expect(late.sentence?.contains("was dropped") == true && late.sentence?.contains("10s") == true, "\(late)")
        host.run("CONFIG SET undo-ms 20000")
        #expect(host.run("UNDROP room").text == "first")
        host.run("CONFIG SET undo-ms 0")
        host.run("DROP room")
        #expect(host.run("UNDROP room").code == .noSession)
        #expect(
            host.run("UNDROP nobody").sentence
                == "there is no dropped session 'nobody'; UNDROP restores none, since the limit undo-ms is 0")
    }

    @Test func `UNDROP restores no session while undo-ms is 0, and none that was dropped before`() throws {
        let host = try HostUnderTest()
        host.run("NEW early turns")
        host.run("DROP early")
        host.run("NEW room turns")
        host.run("DROP room")
        host.run("NEW room game")
        host.run("CONFIG SET undo-ms 0")
        // Virtual time stands still: no time has passed since the drops.
        #expect(host.run("UNDROP early").code == .noSession)
        host.run("DROP room")
        #expect(
            host.run("UNDROP room").sentence
                == "there is no dropped session 'room'; UNDROP restores none, since the limit undo-ms is 0")
        #expect(host.host.sessions.keptDrops == 0)
        host.run("CONFIG SET undo-ms 10000")
        for name in ["early", "room"] { #expect(host.run("UNDROP \(name)").code == .noSession) }
        host.run("NEW room turns")
        host.run("DROP room")
        #expect(host.run("UNDROP room").text == "first")
    }

    @Test func `UNDROP restores the last dropped session of a name, and fails while the name is in use`() throws {
        let host = try HostUnderTest()
        host.run("NEW room turns")
        #expect(host.run("UNDROP room").code == .exists)
        host.run("DROP room")
        host.run("NEW room game")
        #expect(host.run("UNDROP room").code == .exists)
        #expect(host.state("room") == "introduction")
        host.run("DROP room")
        #expect(host.run("UNDROP room").text == "introduction", "the last one of that name")
        host.run("RESTART room")
        #expect(host.run("UNDROP room").code == .exists)
    }

    @Test func `UNDROP is refused at the limit of sessions`() throws {
        let host = try HostUnderTest { $0.sessions = 2 }
        for name in ["a", "b"] { host.run("NEW \(name) turns") }
        host.run("DROP a")
        host.run("NEW c turns")
        let full = host.run("UNDROP a")
        #expect(full.code == .limit && full.sentence?.contains("sessions") == true)
        host.run("DROP c")
        #expect(host.run("UNDROP a").text == "first")
        #expect(host.run("SESSIONS").list.last?.list.count == 2)
    }

    @Test func `UNDROP restores a session's children, and they stay its children`() throws {
        let host = try HostUnderTest(`A session that is restarted`.parent, `A session that is restarted`.kid)
        host.run("NEW room parent")
        host.run("ADVANCE 5s")
        #expect(host.run("DROP room").integer == 1)
        #expect(host.run("STATE room/kid").code == .noSession)
        host.run("ADVANCE 5s")
        #expect(host.run("UNDROP room").text == "with")
        #expect(host.timers("room/kid") == ["age 15000"])
        #expect(host.history("room/kid") == ["begun UNDROP room"])
        #expect(host.data("room") == #"{"heard":""}"#)
        host.run("ADVANCE 15s")
        #expect(host.data("room") == #"{"heard":"d"}"#)
        host.run("DROP room")
        #expect(host.run("SESSIONS").list.last?.list == [])
    }

    @Test func `UNDROP works without a child that is no longer kept, and restores no child alone`() throws {
        let host = try HostUnderTest(`A session that is restarted`.parent, `A session that is restarted`.kid)
        host.run("NEW room parent")
        host.run("DROP room/kid")
        #expect(host.data("room") == #"{"heard":"e"}"#)
        let refused = host.run("UNDROP room/kid")
        #expect(refused.code == .noSession)
        #expect(refused.sentence == "'room/kid' was a child of 'room'; UNDROP restores a child only with its parent")
        host.run("RESTART room")
        #expect(host.data("room") == #"{"heard":""}"#, "nothing blocks the name of its next child")
        #expect(host.state("room/kid") == "young")
        host.run("DROP room")
        host.run("NEW room/kid turns")
        host.run("DROP room/kid")
        #expect(host.run("UNDROP room").text == "with")
        #expect(host.data("room") == #"{"heard":"e"}"#, "its child is no longer kept")
    }

    @Test(arguments: ["SEND room leave", "DROP room"])
    func `UNDROP restores no child alone that its parent dropped`(command: String) throws {
        let host = try HostUnderTest(`A session that is restarted`.parent, `A session that is restarted`.kid)
        host.run("NEW room parent")
        host.run(command)
        #expect(host.run("STATE room/kid").code == .noSession)
        let refused = host.run("UNDROP room/kid")
        #expect(refused.code == .noSession)
        #expect(refused.sentence == "'room/kid' was a child of 'room'; UNDROP restores a child only with its parent")
        host.run("DROP room")
        host.run("NEW room parent")
        #expect(host.data("room") == #"{"heard":""}"#, "nothing blocks the name of its next child")
        #expect(host.state("room/kid") == "young")
    }

    @Test func `Only the last 64 dropped sessions are kept for UNDROP`() throws {
        let host = try HostUnderTest()
        for number in 0..<100 { host.run("NEW s\(number) turns") }
        for number in 0..<100 { host.run("DROP s\(number)") }
        #expect(host.host.sessions.keptDrops == 64)
        #expect(host.run("UNDROP s35").code == .noSession, "64 others were dropped since")
        #expect(host.run("UNDROP s36").text == "first", "63 others were dropped since")
        #expect(host.run("UNDROP s99").text == "first")
        #expect(host.host.timekeeper.armedCount == 2)
        host.run("ADVANCE 11s")
        #expect(host.host.sessions.expireDrops() == nil)
        #expect(host.host.sessions.keptDrops == 0)
    }

    @Test func `Dropped sessions are kept in at most 4 MiB, and the oldest are discarded first`() throws {
        let words = String(repeating: "x", count: 16_000)
        let names = (0..<30).map { "w\($0)" }
        let wide = """
            { id: "wide", context: { \(names.map { "\($0): \"\"" }.joined(separator: ", ")) }, initial: "a",
              events: { fill: { payload: { text: { type: "string" } } } },
              states: { a: { on: { fill: { actions: { assign: {
                \(names.map { "\($0): \"event.text\"" }.joined(separator: ", ")) } } } } } } }
            """
        let host = try HostUnderTest(wide)
        for number in 0..<20 {
            host.run("NEW s\(number) wide")
            #expect(host.run(["SEND", "s\(number)", "fill", #"{"text":"\#(words)"}"#]).text == "a")
            host.run("DROP s\(number)")
        }
        _ = host.host.sessions.expireDrops()
        #expect(host.host.sessions.keptDrops == 8)
        #expect(host.run("UNDROP s12").text == "a")
        #expect(host.run("UNDROP s11").code == .noSession)
    }

    @Test func `UNDROP is refused if the session's state is no longer in its flow`() throws {
        let host = try HostUnderTest(counterFlow)
        host.run(#"NEW room counter {"state":"down"}"#)
        host.run("DROP room")
        let without = try FlowKind.chart(
            text: #"{ id: "counter", context: { n: 1 }, initial: "up", states: { up: {} } }"#)
        let change = FlowChange(of: host.host.sessions, hosting: [without], without: [], isDry: false, delegate: nil)
        while !change.isOver { change.step(atMost: 100) }
        let refused = host.run("UNDROP room")
        #expect(refused.code == .generic && refused.sentence?.contains("'down'") == true, "\(refused)")
        #expect(host.run("STATE room").code == .noSession)
    }
}

// UNDROP restores a dropped session.

import BuiltInFlows
import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Sessions

@Suite struct `A session restored by UNDROP` {
    @Test func `UNDROP restores a session's data and timers as they were when it was dropped`() throws {
        let daemon = try Rehearsed()
        daemon.say("NEW room game")
        for line in ["startPlaying", "chooseEpisode 2", "chooseLevel 3"] { daemon.say("SEND room \(line)") }
        daemon.say("ADVANCE 4500ms")
        daemon.say("EXTEND room timeLimit 1m")
        daemon.say("PAUSE room tick")
        let (data, life) = (daemon.data("room"), try #require(daemon.life("room")))
        let timers = daemon.timers("room")
        #expect(daemon.say("DROP room").integer == 1)
        #expect(daemon.say("ADVANCE 9s").integer == 0)
        #expect(daemon.say("UNDROP room").text == "playingLevel")
        #expect((daemon.data("room"), daemon.timers("room")) == (data, timers))
        #expect(timers.contains("timeLimit 175500") && timers.contains { $0.hasSuffix(" stands") }, "\(timers)")
        #expect(daemon.life("room") == life + 1)
        #expect(daemon.say("STATE room")["version"]?.integer == 0)
        #expect(daemon.say("STATE room")["since_ms"]?.integer == 4_500)
        #expect(daemon.history("room") == ["begun UNDROP ann"])
        daemon.say("ADVANCE 175500ms")
        #expect(daemon.state("room") == "finishedLevel")
    }

    @Test func `UNDROP keeps a paused session paused, with its timers' remaining time`() throws {
        let daemon = try Rehearsed()
        daemon.say("NEW room turns")
        daemon.say("ADVANCE 12345ms")
        daemon.say("PAUSE room")
        daemon.say("DROP room")
        daemon.say("ADVANCE 5s")
        daemon.say("UNDROP room")
        #expect(daemon.say("STATE room")["paused"]?.reply == .boolean(true))
        daemon.say("ADVANCE 1h")
        #expect(daemon.timers("room") == ["turn 17655 stands"])
        daemon.say("RESUME room")
        #expect(daemon.say("ADVANCE 17655ms").integer == 1)
    }

    @Test func `UNDROP restores the variables, parameters and timers of a session of a file's flow`() throws {
        let daemon = try Rehearsed(counterFlow)
        daemon.say(#"NEW room counter {"context":{"n":5}}"#)
        daemon.say("SEND room add 1")
        daemon.say("ADVANCE 11s")
        let data = daemon.data("room")
        daemon.say("DROP room")
        daemon.say("ADVANCE 3s")
        #expect(daemon.say("UNDROP room").text == "down")
        #expect((daemon.data("room"), daemon.timers("room")) == (data, ["rest 4000"]))
        daemon.say("ADVANCE 4s")
        #expect(daemon.data("room") == #"{"n":111,"words":""}"#)
        daemon.say("RESTART room")
        #expect(daemon.data("room") == #"{"n":5,"words":""}"#)
    }

    @Test func `UNDROP restores a session's postponed events`() throws {
        let daemon = try Rehearsed()
        daemon.say("NEW app startup")
        daemon.say("SEND app deepLink /news/7")
        daemon.say("DROP app")
        daemon.say("UNDROP app")
        #expect(daemon.say("STATE app")["postponed"]?.list.map(\.text) == ["deepLink"])
    }

    @Test func `UNDROP is refused ten seconds after the drop, or after undo-ms`() throws {
        let daemon = try Rehearsed()
        daemon.say("NEW room turns")
        daemon.say("DROP room")
        daemon.say("ADVANCE 10001ms")
        let late = daemon.say("UNDROP room")
        #expect(late.code == .noSession)
        #expect(late.sentence?.contains("was dropped") == true && late.sentence?.contains("10s") == true, "\(late)")
        daemon.say("CONFIG SET undo-ms 20000")
        #expect(daemon.say("UNDROP room").text == "first")
        daemon.say("CONFIG SET undo-ms 0")
        daemon.say("DROP room")
        #expect(daemon.say("UNDROP room").code == .noSession)
        #expect(daemon.say("UNDROP nobody").sentence?.contains("there is no dropped session 'nobody'") == true)
    }

    @Test func `UNDROP restores the last dropped session of a name, and fails while the name is in use`() throws {
        let daemon = try Rehearsed()
        daemon.say("NEW room turns")
        #expect(daemon.say("UNDROP room").code == .exists)
        daemon.say("DROP room")
        daemon.say("NEW room game")
        #expect(daemon.say("UNDROP room").code == .exists)
        #expect(daemon.state("room") == "introduction")
        daemon.say("DROP room")
        #expect(daemon.say("UNDROP room").text == "introduction", "the last one of that name")
        daemon.say("RESTART room")
        #expect(daemon.say("UNDROP room").code == .exists)
    }

    @Test func `UNDROP is refused at the limit of sessions`() throws {
        let daemon = try Rehearsed { $0.sessions = 2 }
        for name in ["a", "b"] { daemon.say("NEW \(name) turns") }
        daemon.say("DROP a")
        daemon.say("NEW c turns")
        let full = daemon.say("UNDROP a")
        #expect(full.code == .limit && full.sentence?.contains("sessions") == true)
        daemon.say("DROP c")
        #expect(daemon.say("UNDROP a").text == "first")
        #expect(daemon.say("SESSIONS").list.last?.list.count == 2)
    }

    @Test func `UNDROP restores a session's children, and they stay its children`() throws {
        let daemon = try Rehearsed(`A session that is restarted`.parent, `A session that is restarted`.kid)
        daemon.say("NEW room parent")
        daemon.say("ADVANCE 5s")
        #expect(daemon.say("DROP room").integer == 1)
        #expect(daemon.say("STATE room/kid").code == .noSession)
        daemon.say("ADVANCE 5s")
        #expect(daemon.say("UNDROP room").text == "with")
        #expect(daemon.timers("room/kid") == ["age 15000"])
        #expect(daemon.history("room/kid") == ["begun UNDROP room"])
        #expect(daemon.data("room") == #"{"heard":""}"#)
        daemon.say("ADVANCE 15s")
        #expect(daemon.data("room") == #"{"heard":"d"}"#)
        daemon.say("DROP room")
        #expect(daemon.say("SESSIONS").list.last?.list == [])
    }

    @Test func `UNDROP works without a child that is no longer kept, and a child restored alone has no parent`() throws {
        let daemon = try Rehearsed(`A session that is restarted`.parent, `A session that is restarted`.kid)
        daemon.say("NEW room parent")
        daemon.say("DROP room/kid")
        #expect(daemon.data("room") == #"{"heard":"e"}"#)
        #expect(daemon.say("UNDROP room/kid").text == "young")
        daemon.say("SEND room/kid grow")
        #expect(daemon.data("room") == #"{"heard":"e"}"#)
        daemon.say("RESTART room")
        #expect(daemon.data("room") == #"{"heard":"e"}"#, "the name of its child is taken")
        daemon.say("DROP room/kid")
        daemon.say("RESTART room")
        daemon.say("DROP room")
        daemon.say("NEW room/kid turns")
        daemon.say("DROP room/kid")
        #expect(daemon.say("UNDROP room").text == "with")
    }

    @Test func `Only the last 64 dropped sessions are kept for UNDROP`() throws {
        let daemon = try Rehearsed()
        for number in 0..<100 { daemon.say("NEW s\(number) turns") }
        for number in 0..<100 { daemon.say("DROP s\(number)") }
        #expect(daemon.host.sessions.keptDrops == 64)
        #expect(daemon.say("UNDROP s35").code == .noSession)
        #expect(daemon.say("UNDROP s36").text == "first")
        #expect(daemon.say("UNDROP s99").text == "first")
        #expect(daemon.host.timekeeper.armedCount == 2)
        daemon.say("ADVANCE 11s")
        #expect(daemon.host.sessions.expireDrops() == nil)
        #expect(daemon.host.sessions.keptDrops == 0)
    }

    @Test func `A daemon discards a dropped session after undo-ms without any request`() throws {
        let loop = try Loop(Timekeeper())
        var limits = Limits()
        limits.undoMilliseconds = 100
        let daemon = try Daemon(on: loop, flows: [.flow(Turns.self)], limits: limits)
        let client = LocalClient(of: daemon.host)
        _ = client.run(["NEW", "room", "turns"])
        _ = client.run(["DROP", "room"])
        #expect(daemon.sessions.keptDrops == 1)
        let end = loop.timekeeper.source.now.advanced(by: .seconds(5))
        while daemon.sessions.keptDrops > 0, loop.timekeeper.source.now < end { try loop.turn() }
        #expect(daemon.sessions.keptDrops == 0)
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
        let daemon = try Rehearsed(wide)
        for number in 0..<20 {
            daemon.say("NEW s\(number) wide")
            #expect(daemon.say(["SEND", "s\(number)", "fill", #"{"text":"\#(words)"}"#]).text == "a")
            daemon.say("DROP s\(number)")
        }
        _ = daemon.host.sessions.expireDrops()
        #expect(daemon.host.sessions.keptDrops == 8)
        #expect(daemon.say("UNDROP s12").text == "a")
        #expect(daemon.say("UNDROP s11").code == .noSession)
    }

    @Test func `UNDROP is refused if the session's state is no longer in its flow`() throws {
        let daemon = try Rehearsed(counterFlow)
        daemon.say(#"NEW room counter {"state":"down"}"#)
        daemon.say("DROP room")
        let without = try FlowKind.chart(
            text: #"{ id: "counter", context: { n: 1 }, initial: "up", states: { up: {} } }"#)
        let change = FlowChange(of: daemon.host.sessions, hosting: [without], without: [], isDry: false, nil, delegate: nil)
        while !change.isOver { change.step(atMost: 100) }
        let refused = daemon.say("UNDROP room")
        #expect(refused.code == .generic && refused.sentence?.contains("'down'") == true, "\(refused)")
        #expect(daemon.say("STATE room").code == .noSession)
    }
}

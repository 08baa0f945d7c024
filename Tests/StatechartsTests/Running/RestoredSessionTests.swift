// Data of a session besides its state, after a restart and under a changed definition.

import Foundation
import GameFlow
import Testing
import Timers

@testable import Statecharts

@Suite struct `A restored session of a chart` {
    private static let meter = """
        { id: "t", context: { n: 10 }, initial: "a", states: { a: {
          after: { "1h": { name: "end", delay: "60000 * (1000 // n)", actions: { assign: { n: "0" } } } },
          every: { "1m": { name: "swing", delay: "n * 1000", actions: { log: "n" } } },
          on: { set: { actions: { assign: { n: "event.n" } } } } } } }
        """

    @Test(arguments: [nil, meter.replacingOccurrences(of: "log: \"n\"", with: "log: \"n + 1\"")])
    func `A restored session keeps the computed lengths of its timers`(definition: String?) throws {
        let session = try ChartSession(Self.meter)
        session.advance(.seconds(4))
        try session.send("set", ["n": 0])
        let lengths = session.machine.timers.map(\.plan.length)
        for _ in 0..<2 {
            try session.restart(under: definition)
            #expect(session.timers == ["end": .seconds(6_000 - 4), "swing": .seconds(6)])
            #expect(session.machine.timers.map(\.plan.length) == lengths)
        }
        let before = session.machine.version
        session.advance(.seconds(26))
        #expect(session.machine.version == before + 3, "a swing every ten seconds")
    }

    @Test func `The time in a state goes on over a downtime`() throws {
        let session = try ChartSession(
            #"{ id: "t", context: { n: 0 }, states: { a: { on: { ask: { actions: { assign: { n: "elapsed" } } } } } } }"#)
        session.advance(.seconds(10))
        for _ in 0..<2 {
            try session.restart(away: .seconds(20))
            session.advance(.seconds(3))
        }
        try session.send("ask")
        #expect(session["n"] == 56_000)
    }

    @Test func `The time in a paused session's state goes on over a downtime, and its timers do not`() throws {
        let session = try ChartSession(
            """
            { id: "t", context: { n: 0 }, states: { a: {
              after: { "1m": { name: "end" } }, on: { ask: { actions: { assign: { n: "elapsed" } } } } } } }
            """)
        session.advance(.seconds(10))
        session.machine.clock.freeze()
        for _ in 0..<2 {
            session.advance(.seconds(3))
            try session.restart(away: .seconds(20))
        }
        session.advance(.seconds(3))
        try session.send("ask")
        #expect(session["n"] == 59_000 && session.timers == ["end": .seconds(50)])
    }

    @Test(arguments: ["deep", "shallow"])
    func `A history state does not restore regions that have become alternatives`(kind: String) throws {
        func lesson(_ type: String) -> String {
            """
            { id: "t", initial: "p", states: { away: { on: { back: "p.before" } }, p: {
              \(type), on: { leave: "away" }, states: {
                before: { type: "history", history: "\(kind)" },
                x: { initial: "one", states: { one: { on: { next: "two" } }, two: {} } }, y: { on: { swap: "x" } },
            } } } }
            """
        }
        let session = try ChartSession(lesson(#"type: "parallel""#))
        try session.send("next")
        try session.send("leave")
        try session.restart(under: lesson(#"initial: "y""#))
        try session.send("back")
        #expect(session.state == "p.y")
        try session.send("swap")
        #expect(session.state == "p.x.one")
    }

    @Test func `A delayed event and a timer that a changed file gives its name stay two`() throws {
        func reminder(_ timer: String) -> String {
            """
            { id: "t", context: { heard: 0, over: false }, states: { a: { \(timer)
              on: { ask: { raise: { event: "nag", delay: "10s" } }, nag: { assign: { heard: "heard + 1" } }, again: "a" } } } }
            """
        }
        let session = try ChartSession(reminder(""))
        try session.send("ask")
        let changed = reminder(#"after: { "20s": { name: "nag", actions: { assign: { over: true } } } },"#)
        try session.restart(under: changed)
        try session.send("again")
        try session.restart(under: changed)
        session.advance(.seconds(15))
        #expect(session["heard"] == 1 && session["over"] == false)
        session.advance(.seconds(15))
        #expect(session["heard"] == 1 && session["over"] == true)
    }

    @Test func `A delayed event never has the name of a state's second timer, and a restart keeps both remaining times`() throws
    {
        let session = try ChartSession(
            """
            { id: "t", context: { heard: 0 }, states: { wait: {
              after: { "1h": { actions: { log: "1" } }, "2h": { actions: { log: "2" } } },
              on: { ask: { raise: { event: "wait", delay: "10s" } }, wait: { assign: { heard: "heard + 1" } } } } } }
            """)
        try session.send("ask")
        try session.send("ask")
        for _ in 0..<2 {
            #expect(
                session.timers == [
                    "wait": .seconds(3_600), "wait#2": .seconds(7_200), "wait#3": .seconds(10), "wait#4": .seconds(10),
                ])
            try session.restart()
        }
        session.advance(.seconds(10))
        #expect(session["heard"] == 2 && session.timers == ["wait": .seconds(3_590), "wait#2": .seconds(7_190)])
    }

    @Test(arguments: [false, true])
    func `The number behind a delayed event's name does not depend on earlier ones that are over, or on a restart`(
        restarts: Bool
    ) throws {
        let session = try ChartSession(
            #"{ id: "t", states: { a: { on: { ask: { raise: { event: "nag", delay: "10s" } }, nag: {} } } } }"#)
        for _ in 0..<5 { try session.send("ask") }
        session.advance(.seconds(10))
        if restarts { try session.restart() }
        for _ in 0..<3 { try session.send("ask") }
        #expect(session.machine.timers.map(\.plan.name) == ["nag", "nag#2", "nag#3"])
    }

    @Test func `A restored session keeps a computed length even if nothing else is saved`() throws {
        let session = try ChartSession(
            #"{ id: "t", initial: "a", states: { a: { every: { "1s": { delay: "state('a') and 7000 or 1", actions: { log: "1" } } } } } }"#
        )
        try session.restart(
            under:
                #"{ id: "t", initial: "a", states: { a: { every: { "1s": { delay: "state('a') and 9000 or 1", actions: { log: "1" } } } } } }"#
        )
        #expect(session.machine.timers.map(\.plan.length) == [.seconds(7)])
    }

    @Test func `A pendulum whose duration becomes computed has the computed one, not the time that is left`() throws {
        let text = """
            { id: "t", context: { s: 30 }, states: { a: {
              every: { "30s": { name: "tick", actions: { log: "s" } } }, after: { "5m": { name: "end" } } } } }
            """
        let changed = text.replacingOccurrences(of: "\"tick\",", with: "\"tick\", delay: \"s * 1000\",")
            .replacingOccurrences(of: "\"end\"", with: "\"end\", delay: \"s * 10000\"")
        let session = try ChartSession(text)
        session.advance(.seconds(79))
        for _ in 0..<2 {
            try session.restart(under: changed)
            #expect(session.timers == ["tick": .seconds(11), "end": .seconds(221)])
            #expect(Set(session.machine.timers.map(\.plan.length)) == [.seconds(30), .seconds(300)])
        }
        session.advance(.seconds(11))
        #expect(session.timers["tick"] == .seconds(30))
    }

    @Test func `A duration that becomes computed and cannot be computed now is the time that is left`() throws {
        let text = #"{ id: "t", states: { a: { after: { "30s": { name: "end" } } } } }"#
        let session = try ChartSession(text)
        session.advance(.seconds(10))
        try session.restart(under: text.replacingOccurrences(of: "\"end\"", with: "\"end\", delay: \"event.ms * 1\""))
        #expect(session.timers == ["end": .seconds(20)])
        #expect(session.machine.timers.map(\.plan.length) == [.seconds(20)])
    }

    @Test func `The time in a state that an earlier definition did not ask for counts from the last change of state`() throws {
        let text =
            #"{ id: "t", context: { n: 0 }, states: { a: { on: { go: "b" } }, b: { on: { ask: { assign: { n: "0" } } } } } }"#
        let session = try ChartSession(text)
        session.advance(.seconds(5))
        try session.send("go")
        session.advance(.seconds(10))
        for _ in 0..<2 {
            try session.restart(under: text.replacingOccurrences(of: "\"0\"", with: "\"elapsed\""))
            session.advance(.seconds(3))
        }
        try session.send("ask")
        #expect(session["n"] == 16_000)
    }

    @Test func `A session whose state a changed definition makes final keeps no timer, delayed event, measured time or child`()
        throws
    {
        let text = """
            { id: "t", initial: "a", invoke: { flow: "kid", id: "kid" }, after: { "1h": { name: "whole" } }, states: {
              a: {}, b: { entry: { raise: { event: "late", delay: "9s" } }, on: { late: { log: "elapsed" }, go: "a" } } } }
            """
        let session = try ChartSession(text.replacingOccurrences(of: "a: {}", with: "a: { on: { go: 'b' } }"))
        try session.send("go")
        let final = text.replacingOccurrences(of: "a: {}, b: {", with: "a: { on: { go: 'b' } }, b: { type: 'final' }, c: {")
        #expect(session.timers.keys.sorted() == ["late", "whole"] && session.machine.children.map(\.id) == ["kid"])
        try session.restart(under: final)
        #expect(session.machine.isFinal && session.timers.isEmpty && session.machine.children.isEmpty)
        #expect(session.machine.outbox?.effects.last == .drop(child: "kid"))
        try session.restart(under: final)
        #expect(try session.machine.stateData()["$"]?["elapsed"] == nil)
    }

    @Test func `A restored session keeps the length of a delayed event`() throws {
        let session = try ChartSession(
            #"{ id: "t", initial: "a", states: { a: { entry: { raise: { event: "late", delay: "9s" } }, on: { late: "a" } } } }"#
        )
        session.advance(.seconds(2))
        try session.restart()
        #expect(session.machine.timers.map(\.plan.length) == [.seconds(9)] && session.timers == ["late": .seconds(7)])
    }

    /// Of two timers due at the same instant, the older one fires first.
    @Test func `A restored session keeps the order in which timers and delayed events were created`() throws {
        let session = try ChartSession(
            """
            { id: "t", type: "parallel", context: { said: "" },
              on: {
                more: { extend: { timer: "whole", by: "10s" } }, late: { actions: { assign: { said: "said .. 'late '" } } },
              },
              after: { "20s": { name: "whole", actions: { assign: { said: "said .. 'whole '" } } } },
              entry: { raise: { event: "late", delay: "30s" } },
              states: { a: { after: { "30s": { name: "a", actions: { assign: { said: "said .. 'a '" } } } } } } }
            """)
        try session.send("more")
        let names = session.machine.timers.map(\.plan.name)
        try #require(names == ["late", "a", "whole"])
        for _ in 0..<2 {
            try session.restart()
            #expect(session.machine.timers.map(\.plan.name) == names)
        }
        session.advance(.seconds(30))
        #expect(session["said"] == "late a whole ")
    }

    @Test(arguments: ["raise: { event: \"ping\"", "send: { session: \"peer\", event: \"ping\""])
    func `A session does not fit a definition that lacks one of its delayed events`(action: String) throws {
        let text = "{ id: 't', initial: 'a', states: { a: { entry: { \(action), delay: '9s' } }, on: { ping: {}, go: {} } } } }"
        let session = try ChartSession(text)
        let changed = "{ id: 't', initial: 'a', states: { a: { on: { go: {} } } } }"
        let told = #expect(throws: (any Error).self) { try session.restart(under: changed) }
        #expect("\(try #require(told))".contains("the event 'ping' waits in it, and nothing in 't'"))
        try session.restart(under: text)
        #expect(session.timers == ["ping": .seconds(9)])
    }

    @Test(arguments: ["shallow", "deep"])
    func `A history state uses its default if the remembered state no longer exists`(history: String) throws {
        let text = """
            { id: "t", initial: "in", states: {
              in: { initial: "x", on: { out: "away" }, states: {
                x: { on: { go: "y" } }, y: {}, h: { type: "history", history: "\(history)", target: "x" } } },
              away: { on: { back: "in.h" } } } }
            """
        let session = try ChartSession(text)
        try session.send("go")
        try session.send("out")
        try session.restart()
        try session.send("back")
        #expect(session.state == "in.y")
        try session.send("out")
        try session.restart(under: text.replacingOccurrences(of: "{ go: \"y\" } }, y: {}", with: "{ go: \"z\" } }, z: {}"))
        try session.send("back")
        #expect(session.state == "in.x")
    }
}

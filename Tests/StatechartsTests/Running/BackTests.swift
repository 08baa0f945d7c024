// `$back`: a stack of the states that a session came through.

import Foundation
import GameFlow
import Seeds
import Testing
import Timers

@testable import Statecharts

private let wizard = """
    {
      id: "wizard", initial: "start",
      on: { back: "$back", home: "start" },
      states: {
        start: { back: null, on: { next: "name" } },
        name: { on: { next: "photo", skip: "terms" } },
        photo: { on: { next: "terms", stay: { actions: { log: "'stays'" } }, again: "photo" } },
        terms: { on: { next: "sending" } },
        sending: { always: "done" },
        done: {},
      },
    }
    """

@Suite struct `Going back in a flow file` {
    @Test func `Back leads through the previous states, and is refused in a state that clears the trail`() throws {
        let session = try ChartSession(wizard)
        for event in ["next", "next", "next"] { try session.send(event) }
        for state in ["photo", "name", "start"] {
            #expect(session.machine.acceptedEvents.contains { $0.name == "back" })
            try session.send("back")
            #expect(session.state == state)
        }
        let refusal = #expect(throws: Refusal.self) { try session.send("back") }
        #expect(refusal?.code == .noTransition)
        #expect(!session.machine.acceptedEvents.contains { $0.name == "back" })
    }

    @Test func `A transient, reentered or unchanged state is not added to the trail`() throws {
        let session = try ChartSession(wizard)
        for event in ["next", "next", "stay", "again", "next", "next"] { try session.send(event) }
        #expect(session.state == "done")
        for state in ["terms", "photo", "name", "start"] {
            try session.send("back")
            #expect(session.state == state)
        }
    }

    @Test func `A state that was left by Back is no longer on the trail`() throws {
        let session = try ChartSession(wizard)
        for event in ["next", "next", "back", "skip", "back"] { try session.send(event) }
        #expect(session.state == "name")
        try session.send("back")
        #expect(session.state == "start")
    }

    @Test func `With an empty trail, Back leads to the fallback of the innermost state that has one`() throws {
        let session = try ChartSession(
            """
            {
              id: "t", initial: "shop", back: "door", on: { back: "$back" },
              states: {
                door: { on: { in: "shop" } },
                shop: {
                  initial: "till", back: "window", on: { deeper: ".cellar" },
                  states: { till: {}, cellar: { back: ".stairs", initial: "stairs", states: { stairs: {} } } },
                },
                window: {},
              },
            }
            """)
        try session.send("back")
        #expect(session.state == "window", "the fallback of 'shop'")
        try session.machine.force("door", data: .object([]))
        let refusal = #expect(throws: Refusal.self) { try session.send("back") }
        #expect(refusal?.code == .noTransition, "the flow's fallback is the current state")
        try session.send("in")
        try session.send("back")
        #expect(session.state == "door", "the trail comes before a fallback")
    }

    @Test func `A candidate transition that cannot go back leaves the event to the next candidate`() throws {
        let session = try ChartSession(
            """
            { id: "t", initial: "a", states: {
              a: { on: { back: ["$back", "exit"], go: "b" } },
              b: { on: { back: [{ guard: "event.sure", target: "$back" }, { actions: { log: "'stays'" } }] } },
              exit: { on: { again: "a" } } } }
            """)
        try session.send("back")
        #expect(session.state == "exit")
        try session.send("again")
        try session.send("go")
        try session.send("back", ["sure": false])
        #expect(session.state == "b")
        try session.send("back", ["sure": true])
        #expect(session.state == "a")
        try session.send("back")
        #expect(session.state == "exit")
    }

    @Test func `In a parallel state, Back enters only the changed region, and others keep their timers`() throws {
        let session = try ChartSession(
            """
            {
              id: "t", type: "parallel", on: { back: "$back" },
              states: {
                pages: { initial: "one", states: { one: { on: { next: "two" } }, two: { on: { next: "one" } } } },
                lamp: {
                  initial: "off",
                  states: { off: { on: { switch: "on" } }, on: { after: { "1h": { target: "off", name: "lamp" } } } },
                },
              },
            }
            """)
        try session.send("switch")
        session.advance(.seconds(60))
        try session.send("next")
        #expect(session.state == "pages.two,lamp.on")
        try session.send("back")
        #expect(session.state == "pages.one,lamp.on" && session.timers == ["lamp": .seconds(3_540)])
        try session.send("back")
        #expect(session.state == "pages.one,lamp.off")
    }

    @Test func `Back from a step that has changed several regions leaves the others as they are, with their timers`() throws {
        let session = try ChartSession(
            """
            {
              id: "t", initial: "p", context: { entries: 0 },
              states: { p: {
                type: "parallel", on: { back: "$back" }, entry: { assign: { entries: "entries + 1" } },
                after: { "2h": { name: "whole", actions: { log: "'ends'" } } },
                states: {
                  r1: { initial: "a", states: { a: { on: { e: "b" } }, b: {} } },
                  r2: { type: "parallel", states: {
                    s1: { initial: "a", states: { a: { on: { e: "b" } }, b: {} } },
                    s2: { initial: "a", after: { "3h": { name: "s2", actions: { log: "'ends'" } } }, states: { a: { on: { f: "b" } }, b: {} } } } },
                  r3: { initial: "a", states: {
                    a: { after: { "1h": { name: "r3", target: "b" } }, entry: { assign: { entries: "entries + 1" } } },
                    b: {} } },
                } } },
            }
            """)
        session.advance(.seconds(600))
        try session.send("e")
        try session.send("back")
        #expect(session.state == "p.r1.a,p.r2.s1.a,p.r2.s2.a,p.r3.a")
        #expect(session.timers == ["whole": .seconds(6_600), "s2": .seconds(10_200), "r3": .seconds(3_000)])
        #expect(try session.machine.shownData()["entries"] == 2)
        for event in ["e", "f", "back", "back"] { try session.send(event) }
        #expect(session.state == "p.r1.a,p.r2.s1.a,p.r2.s2.a,p.r3.a" && session.timers["r3"] == .seconds(3_000))
    }

    @Test func `Back into a parallel state enters all of its regions as they were`() throws {
        let session = try ChartSession(
            """
            {
              id: "t", initial: "work", on: { back: "$back" },
              states: {
                work: {
                  type: "parallel", on: { help: "help" },
                  states: {
                    a: { initial: "x", states: { x: { on: { a: "y" } }, y: {} } },
                    b: { initial: "x", states: { x: { on: { b: "y" } }, y: {} } },
                  },
                },
                help: { after: { "1m": "$back" } },
              },
            }
            """)
        for event in ["a", "b", "help"] { try session.send(event) }
        session.advance(.seconds(60))
        #expect(session.state == "work.a.y,work.b.y", "a timer goes back, too")
        try session.send("back")
        #expect(session.state == "work.a.y,work.b.x")
    }

    @Test func `The trail is saved with the session, without states that a new definition lacks`() throws {
        let session = try ChartSession(wizard)
        for event in ["next", "next", "next"] { try session.send(event) }
        try session.restart()
        try session.send("back")
        #expect(session.state == "photo")
        try session.restart(under: wizard.replacingOccurrences(of: "name", with: "who"))
        try session.send("back")
        #expect(session.state == "start", "'name' is gone")
    }

    @Test func `FORCE clears the trail, and the shown data does not contain the trail`() throws {
        let session = try ChartSession(wizard)
        for event in ["next", "next"] { try session.send(event) }
        #expect(try session.machine.shownData() == .object([]))
        try session.machine.force("terms", data: .object([]))
        #expect(throws: Refusal.self) { try session.send("back") }
    }

    @Test func `A trail keeps the last 32 states`() throws {
        let session = try ChartSession(
            """
            { id: "t", context: { n: 0 }, initial: "a", on: { back: "$back" },
              states: { a: { on: { go: "b" } }, b: { on: { go: "a" } } } }
            """)
        for _ in 0..<101 { try session.send("go") }
        for _ in 0..<32 { try session.send("back") }
        #expect(throws: Refusal.self) { try session.send("back") }
    }

    /// Compares random walks with a stack.
    @Test func `Back on a random walk behaves like a stack of states`() throws {
        var random = SeededGenerator.announced("walks that go back", seed: 33)
        let names = ["a", "b", "c.x", "c.y", "d", "transient", "raising"]
        let goings = names.map { "\"to.\($0)\": \"\($0)\"" }.joined(separator: ", ")
        let session = try ChartSession(
            """
            { id: "t", initial: "a", on: { back: "$back", \(goings) },
              states: {
                a: {}, b: {}, c: { initial: "x", states: { x: {}, y: {} } }, d: { back: null },
                transient: { always: "$back" }, raising: { entry: { raise: "back" } } } }
            """)
        var (stack, now): ([String], String) = ([], "a")
        for step in 0..<2_000 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                guard let before = stack.popLast() else {
                    #expect(throws: Refusal.self) { try session.send("back") }
                    continue
                }
                try session.send("back")
                now = before
            } else {
                let target = names[Int.random(in: 0..<names.count, using: &random)]
                try session.send("to.\(target)")
                if ["transient", "raising"].contains(target) {
                    #expect(session.state == now, "step \(step)")
                    continue
                }
                if target != now { stack = (stack + [now]).suffix(32) }
                now = target
            }
            if now == "d" { stack = [] }
            #expect(session.state == now, "step \(step)")
            if Int.random(in: 0..<10, using: &random) == 0 { try session.restart() }
        }
    }

    @Test func `A diagram labels the transition that leads back`() throws {
        let picture = try chart(flow(#"a: { on: { go: "b" } }, b: { on: { cancel: "$back" } }"#)).graph.mermaid
        #expect(picture.contains("cancel (back)"), "\(picture)")
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { target: ["a", "$back"] } } } } }"#,
            "1:53: error: target '$back' of the state 'a' does not exist; '$back' is the one target of a transition, and no state"
        ),
        WrongFile(
            #"{ id: "t", states: { "$back": { on: { go: "$back" } } } }"#,
            "1:22: error: '$back' is the target that leads back, and no state; give the state another name"),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { target: "$back", reenter: false } } } } }"#,
            "1:56: error: leave out 'reenter': '$back' enters the states that were left, and no others"),
        WrongFile(
            #"{ id: "t", states: { a: { back: 3, on: { go: "$back" } } } }"#,
            "1:33: error: 'back' is a state, or null where nothing leads back, and not 3"),
        WrongFile(
            #"{ id: "t", states: { a: { back: "a", on: { go: "$back" } } } }"#,
            "1:33: error: 'back' leads out of the state 'a', and not to where it is already"),
        WrongFile(
            #"{ id: "t", states: { a: { back: null, on: { go: "a" } } } }"#,
            "1:27: warning: 'back' has no effect: no transition of the flow leads to \"$back\""),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: "$back" } }, b: { type: "final", back: "a" } } }"#,
            "1:70: error: a final state has no 'back': nothing comes after it"
        ),
    ])
    func `A mistake about Back is reported with its place`(file: WrongFile) {
        #expect(report(file.text) == file.report)
    }
}

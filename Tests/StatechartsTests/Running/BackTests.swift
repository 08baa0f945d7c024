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
    @Test func `Back leads to the state before, again and again, and is refused where a state forgets the trail`() throws {
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

    @Test func `A state that is passed through without a stop, entered again or not left comes on no trail`() throws {
        let session = try ChartSession(wizard)
        for event in ["next", "next", "stay", "again", "next", "next"] { try session.send(event) }
        #expect(session.state == "done")
        for state in ["terms", "photo", "name", "start"] {
            try session.send("back")
            #expect(session.state == state)
        }
    }

    @Test func `Going on after Back continues from there: what was left by Back is no longer remembered`() throws {
        let session = try ChartSession(wizard)
        for event in ["next", "next", "back", "skip", "back"] { try session.send(event) }
        #expect(session.state == "name")
        try session.send("back")
        #expect(session.state == "start")
    }

    @Test func `A state's back is its fallback where nothing is remembered; the innermost one counts`() throws {
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
        #expect(session.state == "window", "as 'shop' says")
        try session.machine.force("door", data: .object([]))
        let refusal = #expect(throws: Refusal.self) { try session.send("back") }
        #expect(refusal?.code == .noTransition, "the flow's 'back' is where it is already")
        try session.send("in")
        try session.send("back")
        #expect(session.state == "door", "the trail comes before a fallback")
    }

    @Test func `A candidate that cannot go back leaves the event to the next one`() throws {
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

    @Test func `In a parallel state Back enters only what has changed, and other regions keep their timers`() throws {
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

    @Test func `Back out of a parallel state, and back into it, enters all of its regions as they were`() throws {
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

    @Test func `The trail is saved with the session, and forgets states that a new definition does not have`() throws {
        let session = try ChartSession(wizard)
        for event in ["next", "next", "next"] { try session.send(event) }
        try session.restart()
        try session.send("back")
        #expect(session.state == "photo")
        try session.restart(under: wizard.replacingOccurrences(of: "name", with: "who"))
        try session.send("back")
        #expect(session.state == "start", "'name' is gone")
    }

    @Test func `FORCE forgets the trail, and no data shows it`() throws {
        let session = try ChartSession(wizard)
        for event in ["next", "next"] { try session.send(event) }
        #expect(try session.machine.shownData() == .object([]))
        try session.machine.force("terms", data: .object([]))
        #expect(throws: Refusal.self) { try session.send("back") }
    }

    @Test func `A trail has 32 places, of which the oldest go first`() throws {
        let session = try ChartSession(
            """
            { id: "t", context: { n: 0 }, initial: "a", on: { back: "$back" },
              states: { a: { on: { go: "b" } }, b: { on: { go: "a" } } } }
            """)
        for _ in 0..<101 { try session.send("go") }
        for _ in 0..<32 { try session.send("back") }
        #expect(throws: Refusal.self) { try session.send("back") }
    }

    /// Any walk, against a stack.
    @Test func `A random walk goes back as a stack of states does`() throws {
        var random = SeededGenerator.announced("walks that go back", seed: 33)
        let names = ["a", "b", "c.x", "c.y", "d"]
        let goings = names.map { "\"to.\($0)\": \"\($0)\"" }.joined(separator: ", ")
        let session = try ChartSession(
            """
            { id: "t", initial: "a", on: { back: "$back", \(goings) },
              states: { a: {}, b: {}, c: { initial: "x", states: { x: {}, y: {} } }, d: { back: null } } }
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
                if target != now { stack = (stack + [now]).suffix(32) }
                now = target
            }
            if now == "d" { stack = [] }
            #expect(session.state == now, "step \(step)")
            if Int.random(in: 0..<10, using: &random) == 0 { try session.restart() }
        }
    }

    @Test func `A picture names what leads back`() throws {
        let picture = try chart(flow(#"a: { on: { go: "b" } }, b: { on: { cancel: "$back" } }"#)).mermaid
        #expect(picture.contains("cancel (back)"), "\(picture)")
    }

    @Test(arguments: [
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: { target: ["a", "$back"] } } } } }"#,
            "1:53: error: target '$back' of the state 'a' does not exist; '$back' is the one target of a transition, and no state"
        ),
        WrongFile(
            #"{ id: "t", states: { "$back": { on: { go: "$back" } } } }"#,
            "1:22: error: '$back' is what leads back, and no state; give the state another name"),
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
            "1:22: warning: 'back' has no effect: no transition of the flow leads to \"$back\""),
        WrongFile(
            #"{ id: "t", states: { a: { on: { go: "$back" } }, b: { type: "final", back: "a" } } }"#,
            "1:50: warning: nothing leads to the state 'b': no transition, no 'initial', no history; only FORCE and NEW reach it",
            "1:70: error: a final state has no 'back': nothing comes after it"
        ),
    ])
    func `A mistake about Back is reported where it stands`(file: WrongFile) {
        #expect(report(file.text) == file.report)
    }
}

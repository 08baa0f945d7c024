// `postpone`: events that wait for a state that accepts them.

import GameFlow
import Testing

@testable import Statecharts

private let shop = """
    {
      id: "shop", initial: "closed",
      context: { served: 0, last: "" },
      events: { order: { payload: { item: { type: "string" } } }, open: {}, close: {}, pause: {}, ring: {} },
      states: {
        closed: { postpone: ["order", "ring"], on: { open: "day" } },
        day: {
          initial: "selling",
          on: { close: "closed", ring: { actions: { assign: { last: "'rang'" } } } },
          states: {
            selling: { on: { order: { actions: { assign: { served: "served + 1", last: "event.item" } } }, pause: "resting" } },
            resting: { postpone: "order", after: { "1m": "selling" } },
          },
        },
      },
    }
    """

@Suite struct `Events that a flow file postpones` {
    let session: ChartSession

    init() throws { session = try ChartSession(shop) }

    @Test func `A postponed event changes nothing, and is handled with its payload in the first accepting state`() throws {
        try session.send("order", ["item": "tea"])
        #expect(session.state == "closed" && session["served"] == 0 && session.machine.version == 0)
        #expect(session.machine.postponed.map(\.event) == ["order"])
        try session.send("open")
        #expect(session["served"] == 1 && session["last"] == "tea" && session.machine.postponed.isEmpty)
    }

    @Test(arguments: ["1.50", "007", "12345678901234567890", "true"])
    func `A bare word for a text is handled as the text that was sent`(word: String) throws {
        try session.machine.send(named: "order", payload: Payload(text: word), from: .network)
        #expect(session.machine.postponed.count == 1)
        try session.send("open")
        #expect(session["last"] == .string(word))
    }

    @Test func `Postponed events are handled in the order in which they arrived`() throws {
        for item in ["tea", "milk", "jam"] { try session.send("order", ["item": .string(item)]) }
        try session.send("open")
        #expect(session["served"] == 3 && session["last"] == "jam")
    }

    @Test func `A nested state postpones an event until its timer leads out of it`() throws {
        try session.send("open")
        try session.send("pause")
        try session.send("order", ["item": "tea"])
        #expect(session["served"] == 0 && session.machine.postponed.count == 1)
        session.advance(.seconds(60))
        #expect(session.state == "day.selling" && session["served"] == 1)
    }

    @Test func `A transition of an active state takes precedence over another one's postponement`() throws {
        try session.send("open")
        try session.send("pause")
        try session.send("ring")
        #expect(session["last"] == "rang" && session.machine.postponed.isEmpty)
    }

    @Test func `An event that is not listed is refused, and one with a wrong payload is not postponed`() throws {
        let refusal = #expect(throws: Refusal.self) { try session.send("pause") }
        #expect(refusal?.code == .noTransition)
        let wrong = #expect(throws: Refusal.self) { try session.send("order", ["item": 3]) }
        #expect(wrong?.code == .badEvent && session.machine.postponed.isEmpty)
    }

    @Test(arguments: [
        (#"initial: "a", postpone: "go", states: { a: { on: { go: null, on: "b" } }"#, false),
        (#"initial: "a", states: { a: { postpone: "go", on: { go: null, on: "b" } }"#, false),
        (
            #"initial: "a", states: { a: { postpone: "go", on: { "*": null, on: "b" } }"#,
            false
        ),
        (
            #"initial: "a", states: { a: { on: { go: null, on: "b" }, postpone: "ask", states: { in: { postpone: "go" } } }"#,
            true
        ),
        (
            #"initial: "a", states: { a: { type: "parallel", on: { on: "b" }, states: { x: { on: { go: null } }, y: { postpone: "go" } } }"#,
            true
        ),
        (
            #"initial: "a", states: { a: { type: "parallel", postpone: "go", on: { on: "b" }, states: { x: { on: { go: null } }, y: {} } }"#,
            true
        ),
        (
            #"initial: "a", states: { a: { type: "parallel", postpone: "go", on: { on: "b" }, states: { x: { on: { go: null } } } }"#,
            false
        ),
    ])
    func `An event that is null is refused, also if the state or one around it postpones it, but not for other regions`(
        states: String, waits: Bool
    ) throws {
        let session = try ChartSession("{ id: 't', \(states), b: { on: { go: 'a', ask: 'a' } } } }")
        #expect(session.machine.acceptedEvents.contains { $0.name == "go" } == waits)
        if waits {
            try session.send("go")
        } else {
            let refusal = #expect(throws: Refusal.self) { try session.send("go") }
            #expect(refusal?.code == .noTransition)
        }
        #expect(session.machine.postponed.count == (waits ? 1 : 0))
    }

    @Test func `An event that the state postpones is listed as accepted`() throws {
        #expect(session.machine.acceptedEvents.map(\.name) == ["order", "open", "ring"])
    }

    @Test(arguments: ["", #"type: "parallel", states: { c: {}, d: {} },"#])
    func `A flow that is over postpones nothing, and refuses what has waited`(kind: String) throws {
        let session = try ChartSession(
            """
            { id: "t", initial: "a", postpone: ["x", "y"], states: {
              a: { on: { go: "b" } }, b: { \(kind) on: { x: "a", end: "done" } }, more: { on: { y: "a" } }, done: { type: "final" } } }
            """)
        try session.send("go")
        try session.send("y")
        #expect(session.machine.postponed.map(\.event) == ["y"])
        try session.send("end")
        #expect(session.machine.isFinal && session.machine.postponed.isEmpty && session.machine.acceptedEvents.isEmpty)
        let refusal = #expect(throws: Refusal.self) { try session.send("x") }
        #expect(refusal?.code == .noTransition && session.machine.postponed.isEmpty)
    }

    @Test func `A diagram marks the events that a state postpones`() throws {
        let picture = try chart(shop).graph.mermaid
        #expect(picture.contains("order (postponed)") && picture.contains("ring (postponed)"), "\(picture)")
    }

    @Test(arguments: [
        (
            #"a: { postpone: "go", on: { stop: "b" } }, b: {}"#,
            "1:41: warning: 'go' would wait here forever: no state accepts it"
        ),
        (#"a: { postpone: ["go", "go"], on: { go: "b" } }, b: {}"#, "'go' is in 'postpone' twice"),
        (#"a: { postpone: "g*", on: { go: "b" } }, b: {}"#, "an event has no '*' in its name"),
        (#"a: { postpone: 3, on: { go: "b" } }, b: {}"#, "'postpone'"),
        (#"a: { on: { go: "b" } }, b: { type: "final", postpone: "go" }"#, "a final state has no 'postpone'"),
        (#"a: { defer: "go", on: { go: "b" } }, b: {}"#, #"write postpone: ["event"]"#),
    ])
    func `An invalid postpone key is reported`(states: String, sentence: String) {
        let said = report(flow(states))
        #expect(said.contains { $0.contains(sentence) }, "\(said)")
    }

    @Test func `A postponed event that only the flow itself raises gets a warning, and one from outside as well gets none`() {
        let states =
            #"a: { postpone: "late", entry: { raise: { event: "late", delay: "1s" } }, on: { go: "b" } }, b: { on: { late: "a" } }"#
        let said = report(flow(states, "events: { go: {}, late: { from: [] } },"))
        #expect(
            said.map { $0.contains("warning: 'late' never waits here: only the flow itself raises it") } == [true], "\(said)")
        #expect(report(flow(states, "events: { go: {}, late: {} },")) == [])
        #expect(report(flow(states)) == [])
    }

    @Test func `A postponed event that the catalogue lacks is an error`() {
        let said = report(flow(#"a: { postpone: "gone", on: { go: "b" } }, b: {}"#, "events: { go: {} },"))
        #expect(said.contains { $0.contains("there is no event 'gone' in 'events'; available: go") }, "\(said)")
    }
}

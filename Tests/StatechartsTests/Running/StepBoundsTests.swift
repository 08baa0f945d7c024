// Limits of one event and of one view, so that no flow file blocks other sessions.

import GameFlow
import JSON
import TestSupport
import Testing
import Timers

@testable import Statecharts

@Suite struct `The bounds of one event` {
    private static let burn = "(function() local s = 0 for i = 1, 30000 do s = s + i end return s * 0 end)()"

    private func list(_ text: String, _ count: Int) -> String {
        repeatElement(text, count: count).joined(separator: ", ")
    }

    /// The error message if the event `go` is refused, which must leave the session unchanged; nil if it is accepted.
    private func refusal(_ states: String, _ context: String = "{ n: 0 }") throws -> String? {
        let session = try ChartSession("{ id: \"t\", context: \(context), initial: \"a\", states: { \(states) } }")
        do {
            try session.send("go")
            return nil
        } catch let refusal as Refusal {
            #expect(session.state == "a")
            #expect(session["n"] == 0)
            return "\(refusal)"
        }
    }

    @Test func `An event with 1,000 heavy guards exceeds its step limit and is refused`() throws {
        let guards = list("{ guard: \"\(Self.burn) > 0\", target: \"a\" }", 1_000)
        #expect(try refusal("a: { on: { go: [\(guards)] } }")?.contains("more than 500000 steps") == true)
    }

    @Test(arguments: [
        (
            "(n + 1.1) * 1e300",
            "'(n + 1.1) * 1e300' is longer than a century, and a length of time is a number of milliseconds, a century at most"
        ),
        ("0.1 - n - 0.3", "the countdown 't' cannot last -0.2ms; it takes zero or more"),
    ]) func `An event that begins a timer with an impossible computed length is refused in plain numbers`(
        length: String, problem: String
    ) throws {
        let timer = #"{ "1s": { name: "t", delay: "\#(length)", target: "a" } }"#
        #expect(try refusal(#"a: { on: { go: "b" } }, b: { after: \#(timer) }"#) == problem)
    }

    @Test func `An event with heavy actions exceeds its step limit and is refused`() throws {
        let actions = list("{ assign: { n: \"n + 1 + \(Self.burn)\" } }", 100)
        #expect(try refusal("a: { on: { go: { actions: [\(actions)] } } }")?.contains("more than 500000 steps") == true)
    }

    @Test func `An event with a cycle of heavy guards exceeds its step limit and is refused`() throws {
        let heavy = list("{ guard: \"\(Self.burn) > 0\", target: \"a\" }", 60)
        let circle = "b: { always: [\(heavy), { guard: \"n < 990\", target: \"b\", actions: { assign: { n: \"n + 1\" } } }] }"
        #expect(try refusal("a: { on: { go: \"b\" } }, \(circle)")?.contains("more than 500000 steps") == true)
    }

    @Test func `The guards of parallel states and their actions have a step limit each`() throws {
        let short = Self.burn.replacing("30000", with: "100")
        let region = "{ on: { go: { guard: \"\(short) == 0\", actions: { assign: { n: \"\(short)\" } } } } }"
        func send(_ count: Int) throws {
            let regions = (1...count).map { "r\($0): \(region)" }.joined(separator: ", ")
            let chart = "{ id: \"t\", type: \"parallel\", context: { n: 0 }, states: { \(regions) } }"
            try ChartSession(chart).send("go")
        }
        #expect(throws: Never.self) { try send(1_000) }
        #expect(throws: Refusal.self) { try send(2_000) }
    }

    @Test func `Guards evaluated without Lua count toward an event's step limit`() throws {
        let guards = list("{ guard: \"n < 0\", target: \"a\" }", 1_000)
        let circle = "b: { always: [\(guards), { guard: \"n < 990\", target: \"b\", actions: { assign: { n: \"n + 1\" } } }] }"
        #expect(try refusal("a: { on: { go: \"b\" } }, \(circle)")?.contains("more than 500000 steps") == true)
    }

    @Test func `An event raises at most 1,000 others, including events that no state accepts`() throws {
        let most = "a: { on: { go: { actions: [\(list("{ raise: \"x\" }", 1_000))] }, y: {} } }, b: { on: { x: {} } }"
        #expect(try refusal(most) == nil)
        let more = "a: { on: { go: { actions: [\(list("{ raise: \"x\" }", 1_001))] }, y: {} } }, b: { on: { x: {} } }"
        #expect(try refusal(more)?.contains("raises more than 1000 others") == true)
        let two = "actions: [{ raise: \"x\" }, { raise: \"x\" }]"
        let doubling = "a: { on: { go: { \(two) }, x: { \(two) } } }"
        #expect(try refusal(doubling)?.contains("raises more than 1000 others") == true)
    }

    @Test func `An event performs at most 10,000 actions`() throws {
        let actions = list("{ assign: { n: \"n + 1\" } }", 100)
        let circle = "b: { always: { guard: \"n < 11000\", target: \"b\", actions: [\(actions)] } }"
        #expect(try refusal("a: { on: { go: \"b\" } }, \(circle)")?.contains("more than 10000 actions") == true)
    }

    @Test func `Simple assignments, which run without Lua, are bounded like other actions`() throws {
        func refusal(_ action: String, _ count: Int) throws -> String? {
            let text = String(repeating: "x", count: 1_000)
            return try self.refusal(
                "a: { on: { go: { target: \"b\", actions: [\(list(action, count))] } } }, b: {}",
                "{ n: 0, copy: \"\", long: \"\(text)\" }")
        }
        #expect(try refusal("{ assign: { n: 1 } }", 10_000) == nil)
        #expect(try refusal("{ assign: { n: 1 } }", 10_001)?.contains("more than 10000 actions") == true)
        #expect(try refusal("{ assign: { copy: \"long\" } }", 1_000) == nil)
        #expect(try refusal("{ assign: { copy: \"long\" } }", 1_100)?.contains("more than 1048576 bytes together") == true)
    }

    @Test(arguments: ["emit", "raise", "send"])
    func `A raised, sent or emitted value of more than 16 KiB is refused`(_ action: String) throws {
        let texts = list("\"string.rep('x', 9000)\"", 300)
        let recipient = action == "send" ? ", session: \"other\"" : ""
        let event = "{ event: \"x\", data: [\(texts)]\(recipient) }"
        let told = try refusal("a: { on: { x: {}, go: { actions: [{ \(action): \(event) }] } } }")
        #expect(told?.contains("a value has at most 16384 bytes") == true, "\(told ?? "taken")")
    }

    @Test func `The values of one event have at most 1 MiB together`() throws {
        let actions = list(
            "{ emit: { event: \"x\", data: \"string.rep('x', 16000)\" } }, { log: \"string.rep('x', 16000)\" }", 40)
        #expect(
            try refusal("a: { on: { go: { actions: [\(actions)] } } }")?.contains("more than 1048576 bytes together") == true)
    }

    @Test func `An event's limit of 1,000 sends does not count the sends of earlier events`() throws {
        let sends = list("{ send: { session: \"other\", event: \"x\" } }", 1_000)
        let session = try ChartSession(
            "{ id: \"t\", initial: \"a\", states: { a: { on: { burst: { actions: [\(sends)] }, one: { actions: { send: { session: \"other\", event: \"x\" } } }, more: { actions: [\(sends), { log: \"'x'\" }] } } } } }"
        )
        try session.send("burst")
        try session.send("one")
        #expect(throws: Refusal.self) { try session.send("more") }
    }
}

@Suite struct `The bounds of one view` {
    @Test func `A view's text of more than 16 KiB is replaced by an error message`() throws {
        let parts = String(repeating: "{{ string.rep('x', 9000) }}", count: 1_000)
        let session = try ChartSession(
            "{ id: \"t\", initial: \"a\", states: { a: { view: { title: \"t\", text: \"\(parts)\" } } } }")
        #expect(session.machine.screen.text == "(a text has at most 16384 bytes, and this one would have more)")
    }

    @Test func `A view's expressions share one step limit, and so do the guards of its events`() throws {
        let burn = "(function() local s = 0 for i = 1, 30000 do s = s + i end return s * 0 end)()"
        let guards = (1...200).map { "e\($0): { guard: \"\(burn) > 0\", target: \"a\" }" }.joined(separator: ", ")
        let text = String(repeating: "{{ \(burn) }}", count: 200)
        let session = try ChartSession(
            "{ id: \"t\", initial: \"a\", states: { a: { view: { title: \"t\", text: \"\(text)\" }, on: { \(guards) } } } }")
        #expect(session.machine.screen.text.contains("more than 500000 steps"))
        let time = processorTime { #expect(session.machine.acceptedEvents.count == 200) }
        #expect(time < .milliseconds(300), "it took \(time)")
    }
}

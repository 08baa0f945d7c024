// What one event, and one view, may use at most: a file must not stop everybody else.

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

    /// Why the event `go` is refused; the session is as it was then.
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

    @Test func `a thousand heavy guards are refused together`() throws {
        let guards = list("{ guard: \"\(Self.burn) > 0\", target: \"a\" }", 1_000)
        #expect(try refusal("a: { on: { go: [\(guards)] } }")?.contains("more than 500000 steps") == true)
    }

    @Test func `heavy actions are refused together`() throws {
        let actions = list("{ assign: { n: \"n + 1 + \(Self.burn)\" } }", 100)
        #expect(try refusal("a: { on: { go: { actions: [\(actions)] } } }")?.contains("more than 500000 steps") == true)
    }

    @Test func `heavy guards of a circle are refused together`() throws {
        let heavy = list("{ guard: \"\(Self.burn) > 0\", target: \"a\" }", 60)
        let circle = "b: { always: [\(heavy), { guard: \"n < 990\", target: \"b\", actions: { assign: { n: \"n + 1\" } } }] }"
        #expect(try refusal("a: { on: { go: \"b\" } }, \(circle)")?.contains("more than 500000 steps") == true)
    }

    @Test func `The work of an event that needs no Lua counts, too`() throws {
        let guards = list("{ guard: \"n < 0\", target: \"a\" }", 1_000)
        let circle = "b: { always: [\(guards), { guard: \"n < 990\", target: \"b\", actions: { assign: { n: \"n + 1\" } } }] }"
        #expect(try refusal("a: { on: { go: \"b\" } }, \(circle)")?.contains("more than 500000 steps") == true)
    }

    @Test func `one event raises a thousand others at most, also such as nobody takes`() throws {
        let most = "a: { on: { go: { actions: [\(list("{ raise: \"x\" }", 1_000))] }, y: {} } }, b: { on: { x: {} } }"
        #expect(try refusal(most) == nil)
        let more = "a: { on: { go: { actions: [\(list("{ raise: \"x\" }", 1_001))] }, y: {} } }, b: { on: { x: {} } }"
        #expect(try refusal(more)?.contains("raises more than 1000 others") == true)
        let two = "actions: [{ raise: \"x\" }, { raise: \"x\" }]"
        let doubling = "a: { on: { go: { \(two) }, x: { \(two) } } }"
        #expect(try refusal(doubling)?.contains("raises more than 1000 others") == true)
    }

    @Test func `one event carries out ten thousand actions at most`() throws {
        let actions = list("{ assign: { n: \"n + 1\" } }", 100)
        let circle = "b: { always: { guard: \"n < 11000\", target: \"b\", actions: [\(actions)] } }"
        #expect(try refusal("a: { on: { go: \"b\" } }, \(circle)")?.contains("more than 10000 actions") == true)
    }

    @Test(arguments: ["emit", "raise", "send"])
    func `a value is refused as soon as it is too large`(_ action: String) throws {
        let texts = list("\"string.rep('x', 9000)\"", 300)
        let recipient = action == "send" ? ", session: \"other\"" : ""
        let event = "{ event: \"x\", data: [\(texts)]\(recipient) }"
        let told = try refusal("a: { on: { x: {}, go: { actions: [{ \(action): \(event) }] } } }")
        #expect(told?.contains("a value has at most 16384 bytes") == true, "\(told ?? "taken")")
    }

    @Test func `the values of one event have a mebibyte together`() throws {
        let actions = list(
            "{ emit: { event: \"x\", data: \"string.rep('x', 16000)\" } }, { log: \"string.rep('x', 16000)\" }", 40)
        #expect(
            try refusal("a: { on: { go: { actions: [\(actions)] } } }")?.contains("more than 1048576 bytes together") == true)
    }

    @Test func `a thousand events to others are this event's own: what waits of earlier ones does not count`() throws {
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
    @Test func `a text is cut off with a sentence, and takes no memory`() throws {
        let parts = String(repeating: "{{ string.rep('x', 9000) }}", count: 1_000)
        let session = try ChartSession(
            "{ id: \"t\", initial: \"a\", states: { a: { view: { title: \"t\", text: \"\(parts)\" } } } }")
        #expect(session.machine.screen.text == "(a text has at most 16384 bytes, and this one would have more)")
    }

    @Test func `its expressions and its guards have one bound of time`() throws {
        let burn = "(function() local s = 0 for i = 1, 30000 do s = s + i end return s * 0 end)()"
        let guards = (1...200).map { "e\($0): { guard: \"\(burn) > 0\", target: \"a\" }" }.joined(separator: ", ")
        let text = String(repeating: "{{ \(burn) }}", count: 200)
        let session = try ChartSession(
            "{ id: \"t\", initial: \"a\", states: { a: { view: { title: \"t\", text: \"\(text)\" }, on: { \(guards) } } } }")
        #expect(session.machine.screen.text.contains("more than 500000 steps"))
        let time = ownTime { #expect(session.machine.acceptedEvents.count == 200) }
        #expect(time < .milliseconds(300), "it took \(time)")
    }
}

// Payloads with many values: what a flow file does not read is not built.

import GameFlow
import TestSupport
import Testing

@testable import Statecharts

@Suite struct `A payload of many values` {
    /// `some` declares its payload, `any` does not. No expression reads the field `more`.
    private static let declared = """
        { id: "t", context: { n: 0 }, initial: "a", events: {
            number: { payload: { x: { type: "number" } } },
            some: { payload: { a: { type: "integer" }, b: { type: "string", optional: true } } },
          },
          states: { a: { on: { number: "a", some: { target: "a", actions: { assign: { n: "event.a" } } } } } } }
        """
    private static let free = """
        { id: "t", context: { n: 0 }, initial: "a",
          states: { a: { on: { any: { target: "a", actions: { assign: { n: "event.a" } } } } } } }
        """
    private static let whole = """
        { id: "t", context: { n: 0 }, initial: "a",
          states: { a: { on: { any: { target: "a", actions: { assign: { n: "#(event.value or {})" } } } } } } }
        """

    private static func list(_ count: Int) -> String { "[" + String(repeating: "1,", count: count - 1) + "1]" }

    /// The error message; nil if the event is accepted.
    private func refusal(of event: String, _ payload: String, by session: ChartSession) throws -> String? {
        do {
            try session.machine.send(named: event, payload: Payload(text: payload), from: .ui)
            return nil
        } catch let refusal as Refusal {
            return "\(refusal)"
        }
    }

    @Test(arguments: [50, 100, 200_000])
    func `A list in place of a plain value is refused with the same message, however long it is`(count: Int) throws {
        let (session, list) = (try ChartSession(Self.declared), Self.list(count))
        let shown = Self.list(50).prefix(64) + "…"
        #expect(try refusal(of: "number", list, by: session) == "'number' expects 'x', a number")
        #expect(try refusal(of: "number", #"{"x":\#(list)}"#, by: session) == "'number' expects 'x', a number")
        #expect(
            try refusal(of: "some", #"{"a":1,"b":\#(list)}"#, by: session)
                == "'some' expects an object: {a: a whole number; b: a text (optional)}; 'b' cannot be \(shown)")
        #expect(session.machine.version == 0)
    }

    @Test func `An event is accepted with any number of values that its flow does not read`() throws {
        let payload = #"{"more":\#(Self.list(200_000)),"a":7}"#
        for (flow, event) in [(Self.declared, "some"), (Self.free, "any")] {
            let session = try ChartSession(flow)
            #expect(try refusal(of: event, payload, by: session) == nil)
            #expect(session["n"] == 7)
        }
    }

    /// As a client sends it, and as code and other sessions do.
    @Test(arguments: [true, false])
    func `A member of a payload that its event does not declare does not reach the flow`(isText: Bool) throws {
        let session = try ChartSession(
            """
            { id: "t", context: { seen: null, more: null }, initial: "a",
              events: { some: { payload: { a: { type: "integer" }, b: { type: "string", optional: true } } } },
              states: { a: { on: { some: { assign: { seen: "event", more: "event.more" } } } } } }
            """)
        let text = #"{"more":1,"name":"other","a":7,"b":null,"event":{}}"#
        let payload = isText ? try Payload(text: text) : Payload(try JSON(parsing: text))
        try session.machine.send(named: "some", payload: payload, from: .ui)
        #expect(session["seen"] == ["a": 7, "name": "some"] && session["more"] == .null)
    }

    @Test func `A flow reads at most 20,000 values of a payload`() throws {
        let session = try ChartSession(Self.whole)
        #expect(try refusal(of: "any", Self.list(19_999), by: session) == nil)
        #expect(session["n"] == 19_999)
        #expect(
            try refusal(of: "any", Self.list(20_000), by: session)
                == "the flow would read more than 20000 values of the payload of 'any'")
    }

    @Test func `A session is restored with a postponed event of any number of values`() throws {
        let flow = """
            { id: "t", context: { n: 0 }, initial: "closed", states: {
                closed: { postpone: ["any"], on: { open: "day" } },
                day: { on: { any: { target: "day", actions: { assign: { n: "#(event.value or {})" } } } } } } }
            """
        let session = try ChartSession(flow)
        // A message of another session comes as a value, and is saved as text.
        let list = try JSON(parsing: Self.list(30_000))
        try session.machine.send(named: "any", payload: Payload(list), from: .orchestrator)
        let image = try SessionImage(of: session.machine)
        let text = try #require(session.machine.savedEventsText)
        let saved = try text.utf8Span.span.withUnsafeBytes { try SavedEvents.read($0) }
        let restored = try session.machine.kind.begin(
            on: session.timekeeper, at: SessionImage(state: image.state, data: image.data, isSaved: true))
        try restored.restore(saved)
        try restored.send(named: "open", from: .ui)
        #expect(try restored.shownData()["n"] == 30_000)
    }

    @Test func `A payload of many members costs no more for a flow with a hundred variables`() throws {
        let names = (0..<100).map { "field\($0)" }
        let reads = names.map { "event.\($0) or 0" }.joined(separator: ", ")
        let session = try ChartSession(
            """
            { id: "t", context: { n: 0 }, initial: "a",
              states: { a: { on: { any: { target: "a", actions: { assign: { n: "math.max(\(reads))" } } } } } } }
            """)
        let text = "{" + String(repeating: #""fielx7":1,"#, count: 50_000) + #""field42":7,"field42":9}"#
        let payload = try Payload(text: text)
        let building = least { _ = payload.json }
        let sending = least { _ = try? session.machine.send(named: "any", payload: payload, from: .ui) }
        #expect(session["n"] == 9)
        #expect(sending < building * 2, "\(sending) to send it, \(building) to build it")
    }

    /// Compared with building all of it, which a refusal once did, and an accepted event three times.
    @Test(arguments: [
        ("number", "", ""), ("number", #"{"x":"#, "}"), ("some", "", ""), ("some", #"{"a":1,"b":"#, "}"),
        ("some", #"{"a":1,"more":"#, "}"),
    ])
    func `What a flow does not read of a payload is not built`(event: String, before: String, after: String) throws {
        let session = try ChartSession(Self.declared)
        let payload = try Payload(text: before + Self.list(200_000) + after)
        let building = least { _ = payload.json }
        let sending = least { _ = try? session.machine.send(named: event, payload: payload, from: .ui) }
        #expect(sending * 2 < building, "\(sending) to send it, \(building) to build it")
    }

    private func least(_ body: () -> Void) -> Duration { (0..<5).map { _ in processorTime(of: body) }.min() ?? .zero }
}

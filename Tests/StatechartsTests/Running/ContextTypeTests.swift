// Types of context variables whose first value is an array or an object.

import GameFlow
import Testing

@testable import Statecharts

@Suite struct `Types of the context` {
    private static let text = """
        {
          id: "bag", initial: "a", context: { list: [1], about: { n: 1 }, note: null },
          states: { a: { on: {
            empty: { actions: { assign: { list: "{}", about: "{}" } } },
            text: { assign: { list: "event or 'x'" } }, number: { assign: { about: "#list" } }, note: { assign: { note: "{ 1 }" } },
          } } },
        }
        """

    @Test func `An empty table is stored as an array or an object, as the variable's type requires`() throws {
        let session = try ChartSession(Self.text)
        try session.send("empty")
        try session.send("note")
        #expect(try session.machine.stateData().description == #"{"list":[],"about":{},"note":[1]}"#)
    }

    @Test(arguments: ["text", "number"])
    func `A variable that holds an array or an object refuses values of other types`(_ event: String) throws {
        let session = try ChartSession(Self.text)
        #expect(throws: (any Error).self) { try session.send(event) }
        #expect(try session.machine.stateData().description == #"{"list":[1],"about":{"n":1},"note":null}"#)
    }

    @Test func `A value given by NEW or by the file has the same size limit as an assigned one`() throws {
        let long = String(repeating: "x", count: 16 << 10)
        let told = #expect(throws: (any Error).self) { _ = try ChartSession(Self.text, context: ["note": .string(long)]) }
        #expect("\(try #require(told))".contains("'note' would hold 16386 bytes, and 16384 are the most"))
        let file = FlowFile(bytes: Array(Self.text.replacing("null", with: "'\(long)'").utf8), path: "bag.json5")
        #expect(file.report == ["bag.json5:2:73: error: 'note' would hold 16386 bytes, and 16384 are the most"])
    }

    @Test(arguments: [#"{"list":3}"#, #"{"about":"x"}"#])
    func `A context given by NEW is checked against the types of the variables`(_ context: String) throws {
        #expect(throws: (any Error).self) { _ = try ChartSession(Self.text, context: JSON(parsing: context)) }
    }

    @Test func `The default 60.0 of an integer is 60, also beside a given context and at a restore`() throws {
        func text(_ more: String) -> String {
            """
            {
              id: "oven", initial: "off", states: { off: { on: { start: "off" } } },
              context: {
                said: "", minutes: { type: "integer", minimum: 1, default: 60.0 }, heat: { type: "number", default: 60.0 }\(more)
              },
            }
            """
        }
        #expect(try ChartSession(text("")).machine.stateData().description == #"{"said":"","minutes":60,"heat":60.0}"#)
        let session = try ChartSession(text(""), context: ["said": "hot"])
        #expect(session["minutes"] == 60 && session["said"] == "hot")
        try session.restart(under: text(", left: { type: \"integer\", default: 2.0 }"))
        #expect(session["minutes"] == 60 && session["left"] == 2)
    }

    @Test func `An integer field that is sent as 20.0 is 20 for the flow, and other numbers keep their fractions`() throws {
        let text = """
            {
              id: "sum", initial: "a", context: { n: null, all: null },
              events: {
                one: { payload: { n: { type: "integer", maximum: 50 } } },
                some: { payload: { n: { type: "integer", optional: true }, x: { type: "number", optional: true } } },
              },
              states: { a: { on: {
                one: { assign: { n: "event.n", all: "event" } }, some: { assign: { n: "event.n", all: "event" } },
              } } },
            }
            """
        let session = try ChartSession(text)
        for payload in [.number(20), ["n": .number(20)], 20] as [JSON] {
            try session.send("one", payload)
            #expect(session["n"] == 20 && session["all"]?["n"] == 20)
        }
        try session.send("some", ["n": .number(-3), "x": .number(2), "y": .number(1)])
        #expect(session["n"] == -3 && session["all"]?["n"] == -3)
        #expect(session["all"]?["x"] == .number(2) && session["all"]?["y"] == nil, "y is not declared")
        try session.send("some")
        #expect(session["n"] == .null)
        #expect(throws: (any Error).self) { try session.send("one", .number(20.5)) }
    }
}

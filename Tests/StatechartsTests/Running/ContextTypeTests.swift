// What a variable of the context may hold, where its first value is an array or an object.

import GameFlow
import Testing

@testable import Statecharts

@Suite struct `Types of the context` {
    private static let text = """
        {
          id: "bag", initial: "a", context: { list: [1], about: { n: 1 }, note: null },
          states: { a: { on: {
            empty: { actions: { assign: { list: "{}", about: "{}" } } },
            text: { assign: { list: "'x'" } }, number: { assign: { about: "1" } }, note: { assign: { note: "{ 1 }" } },
          } } },
        }
        """

    @Test func `an empty table is an array or an object, whichever the variable is`() throws {
        let session = try ChartSession(Self.text)
        try session.send("empty")
        try session.send("note")
        #expect(try session.machine.stateData().description == #"{"list":[],"about":{},"note":[1]}"#)
    }

    @Test(arguments: ["text", "number"])
    func `an array stays an array, and an object an object`(_ event: String) throws {
        let session = try ChartSession(Self.text)
        #expect(throws: (any Error).self) { try session.send(event) }
        #expect(try session.machine.stateData().description == #"{"list":[1],"about":{"n":1},"note":null}"#)
    }

    @Test func `a value is not longer than one that is assigned can be, in NEW and in the file`() throws {
        let long = String(repeating: "x", count: 16 << 10)
        let told = #expect(throws: (any Error).self) { _ = try ChartSession(Self.text, context: ["note": .string(long)]) }
        #expect("\(try #require(told))".contains("'note' would hold 16386 bytes, and 16384 are the most"))
        let file = FlowFile(text: Self.text.replacing("null", with: "'\(long)'"), path: "bag.json5")
        #expect(file.report == ["bag.json5:2:73: error: 'note' would hold 16386 bytes, and 16384 are the most"])
    }

    @Test(arguments: [#"{"list":3}"#, #"{"about":"x"}"#])
    func `A context that NEW gives is held to the types of the variables`(_ context: String) throws {
        #expect(throws: (any Error).self) { _ = try ChartSession(Self.text, context: JSON(parsing: context)) }
    }
}

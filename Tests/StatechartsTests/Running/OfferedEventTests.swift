import GameFlow
import Testing

@testable import Statecharts

private let door = """
    {
      id: "door", initial: "shut",
      context: { tries: 0 },
      events: {
        code: { payload: { digits: { type: "integer" } } },
        knock: {},
        bribe: { payload: { coins: { type: "integer" } } },
      },
      states: {
        shut: {
          on: {
            code: { guard: "event.digits == 1234", target: "open" },
            knock: { guard: "event.digits == 1 or tries > 2", target: "open" },
            bribe: { guard: "tries > 0", target: "open" },
          },
        },
        open: {},
      },
    }
    """

@Suite struct `Offered events` {
    let session: ChartSession

    init() throws { session = try ChartSession(door) }

    /// The payload is not known yet.
    @Test func `An event whose guard depends on the payload is offered, unless it has no payload`() {
        #expect(session.machine.acceptedEvents.map(\.name) == ["code"])
    }

    @Test func `An offered event with a wrong payload is refused with an error about the payload`() throws {
        let refusal = #expect(throws: Refusal.self) { try session.send("code", ["digits": 4321]) }
        #expect(refusal?.description == "'code' is not valid in 'shut' with this payload; it accepts code")
        try session.send("code", ["digits": 1234])
        #expect(session.state == "open")
    }

    @Test func `An event without a payload takes an empty object`() throws {
        let bell = try ChartSession(
            #"{ id: "bell", events: { knock: {} }, states: { shut: { on: { knock: "open" } }, open: {} } }"#)
        try bell.send("knock", [:])
        #expect(bell.state == "open")
    }
}

@Suite struct `Offered events of certain sources` {
    private static let text = """
        {
          id: "gate", initial: "shut", events: { press: {} },
          states: {
            shut: {
              every: { "1s": { actions: [] } },
              on: { press: { guard: "source == 'ui'", target: "passed" } },
            },
            passed: { type: "final" },
          },
        }
        """

    @Test func `An event whose guard reads the source is offered, whatever has sent the last event`() throws {
        let session = try ChartSession(Self.text)
        let offered = session.machine.acceptedEvents.map(\.name)
        #expect(offered.contains("press"))
        session.advance(.seconds(1))
        #expect(session.machine.acceptedEvents.map(\.name) == offered)
        #expect(throws: Refusal.self) { try session.machine.send(named: "press", from: .network) }
        #expect(session.machine.acceptedEvents.map(\.name) == offered)
        try session.send("press")
        #expect(session.state == "passed" && session.machine.acceptedEvents.isEmpty)
    }
}

@Suite struct `A payload in a flow file` {
    /// No value can be tried that is longer, or less.
    @Test(arguments: [
        "type: 'string', minLength: 9223372036854775807", "type: 'string', minLength: 1001",
        "type: 'integer', maximum: -9223372036854775808", "type: 'integer', minimum: 9223372036854775807",
    ])
    func `A field with the most extreme bounds can be checked`(field: String) throws {
        let event = "x: { payload: { n: { \(field) } } }"
        let text = "{ id: 't', initial: 'a', events: { \(event) }, states: { a: { on: { x: {} } } } }"
        #expect(report(text) == [])
        #expect(try FlowKind.chart(text).eventNames == ["x"])
    }

    @Test func `The one integer that an extreme bound allows is accepted`() throws {
        let field = "{ type: 'integer', maximum: -9223372036854775808 }"
        let session = try ChartSession(
            "{ id: 't', initial: 'a', events: { x: { payload: { n: \(field) } } }, states: { a: { on: { x: 'b' } }, b: {} } }")
        #expect(session.machine.acceptedEvents.map(\.name) == ["x"])
        try session.send("x", ["n": .integer(.min)])
        #expect(session.state == "b")
    }

    @Test func `An event whose fields are all optional can be sent without a payload`() throws {
        let session = try ChartSession(
            """
            {
              id: "board", initial: "open", context: { moves: 0, last: 0 },
              events: {
                move: { payload: { x: { type: "integer", optional: true }, y: { type: "integer", optional: true } } },
                place: { payload: { x: { type: "integer", optional: true }, y: { type: "integer" } } },
              },
              states: {
                open: {
                  on: {
                    move: { actions: { assign: { moves: "moves + 1", last: "event.x or -1" } } },
                    place: { actions: { assign: { last: "event.y" } } },
                  },
                },
              },
            }
            """)
        try session.send("move")
        #expect(session["moves"] == 1 && session["last"] == -1)
        try session.send("move", ["x": 3])
        #expect(session["moves"] == 2 && session["last"] == 3)
        let refusal = #expect(throws: Refusal.self) { try session.send("place") }
        #expect(refusal?.description == "'place' expects an object: {x: a whole number (optional); y: a whole number}")
    }
}

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
}

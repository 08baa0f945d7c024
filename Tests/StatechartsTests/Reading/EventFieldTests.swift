// Warnings about fields of events that no event has.

import Testing

/// A flow with three events and a state with these members, in the second line.
private func reading(_ members: String) -> String {
    """
    { id: 't', context: { n: null }, events: { vote: { payload: { choice: { enum: ['a', 'b'] }, weight: { type: 'integer', optional: true } } }, one: { payload: { code: { type: 'string' } } }, none: {} },
     states: { a: { \(members) } } }
    """
}

@Suite struct `A flow file whose expressions read fields of events` {
    @Test(arguments: [
        WrongFile(
            reading(#"on: { vote: { assign: { n: "event.points and event.points + 1" } }, one: "a", none: "a" }"#),
            "2:51: warning: 'points' is no field of the event 'vote', so this is always nil; available: choice, weight"),
        WrongFile(
            reading(
                #"on: { vote: { guard: "event.choise == 'a'", target: "a" }, one: { assign: { n: "event.value" } }, none: { assign: { n: "n == 1 and event.code" } } }"#
            ),
            "2:45: warning: 'choise' is no field of the event 'vote', so this is always nil; did you mean 'choice'?",
            "2:103: warning: 'value' is no field of the event 'one', so this is always nil; available: code",
            "2:154: warning: 'code' is no field of the event 'none', so this is always nil; available: none"),
        WrongFile(
            reading(#"on: { "*": { log: "{ event.choice, event.lost }" } }"#),
            "2:58: warning: 'lost' is no field of any event of the flow, so this is always nil; available: choice, code, missed, name, weight"
        ),
        WrongFile(
            reading(#"on: { "*": "a" }, entry: { assign: { n: "event.wieght" } }"#),
            "2:64: warning: 'wieght' is no field of any event of the flow, so this is always nil; did you mean 'weight'?"),
        WrongFile(
            reading(
                #"on: { "*": "a" }, every: { "1s": { assign: { n: "event.missd" } } }, after: { "2s": { assign: { n: "event.code" } } }"#
            ),
            "2:72: warning: 'missd' is no field of the event of a timer, so this is always nil; did you mean 'missed'?",
            "2:123: warning: 'code' is no field of the event of a timer, so this is always nil; available: missed, name"),
    ])
    func `A field that no event at this place has is reported with its place`(_ file: WrongFile) {
        #expect(report(file.text) == file.report)
    }

    @Test(arguments: [
        // An optional field, an event's name, and fields of some of the events that a wildcard matches.
        #"on: { vote: { assign: { n: "event.weight or event.name" } }, "*": { assign: { n: "event.choice or event.code" } } }"#,
        // What follows an event may be of any one.
        #"on: { "*": "a" }, entry: { assign: { n: "event.code" } }, always: { guard: "event.weight == 3", actions: { assign: { n: 1 } } }"#,
        #"on: { "*": "a" }, every: { "1s": { assign: { n: "event.missed" } } }, after: { "2s": { assign: { n: "event.name" } } }"#,
        // An action may raise an event with more than its declaration has.
        #"on: { vote: { raise: { event: "none", data: { more: 1 } } }, none: { assign: { n: "event.more" } }, one: { log: "event.code" } }, entry: { log: "event.more" }"#,
        // Names of a function's own, and members of other values.
        #"on: { "*": { assign: { n: "(function(event) return event.x end)({ x = 1 })" } } }, entry: { log: "({ event = { x = 1 } }).event.x" }"#,
        // What a final state returns.
        #"on: { "*": ".b" }, onDone: { target: "a", actions: { assign: { n: "event.points and event.points + 1" } } }, entry: { log: "event.points" }, initial: "c", states: { c: {}, b: { type: "final", output: { points: 1 } } }"#,
    ])
    func `A field that an event may have at this place is no problem`(_ members: String) {
        #expect(report(reading(members)) == [])
    }

    @Test func `Without a catalogue any field may come, and with an error in the file nothing is said of fields`() {
        #expect(report("{ id: 't', states: { a: { on: { x: { log: 'event.anything' } } } } }") == [])
        let wrong = "{ id: 't', events: { x: { payload: 5 } }, states: { a: { on: { x: { log: 'event.anything' } } } } }"
        #expect(report(wrong).map { $0.contains(" error: ") } == [true])
    }
}

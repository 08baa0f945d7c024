// A value's declaration gives the check, the description in words and the JSON Schema.

import GameFlow
import Testing
import Timers

/// A board with pieces that can be moved, tuned, painted and named.
private struct Board: TypedFlow {
    enum State: FlowState {
        case playing(column: Int, mood: String?, trail: [Step])
    }

    struct Step: Codable, Equatable {
        var column: Int
    }

    enum Event: Equatable {
        case move(column: Int, row: Int, why: String)
        case tune(Double)
        case paint(String)
        case name(String)
        case shine(Bool)
    }

    static let column = PayloadKind.integer("column", in: 1...8)
    static let fields = [column, .text("mood", oneOf: ["glad", "sad"]).optional]
    static let events = Catalogue<Event>(
        .object(
            .object("to", [column, .integer("row", in: 1...8), .text("why", length: 0...5).optional]),
            samples: [.move(column: 1, row: 1, why: "")]
        ) { to in
            .move(column: to.integer("column") ?? 0, row: to.integer("row") ?? 0, why: to.text("why") ?? "")
        },
        .number(Event.tune, .number("pitch", in: 0.5...2), samples: [1]),
        .text(Event.paint, "color", oneOf: ["red", "green", "blue"], samples: ["red"]),
        .text(Event.name, .text("name", length: 1...3), samples: ["ann"]),
        .boolean(Event.shine, .boolean("on"), samples: [true]))

    let clock: FlowClock

    func initialState() -> State { .playing(column: 1, mood: nil, trail: []) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard case .playing(_, let mood, let trail) = state else { throw .transitionNotFound }
        guard case .move(let column, _, _) = event else { return { state } }
        try Self.column.check(column)
        return { .playing(column: column, mood: mood, trail: trail + [Step(column: column)]) }
    }
}

private typealias Kind = PayloadKind

@Suite struct `A value's bounds` {
    private static let checks: [(Kind, allowed: String, refused: String)] = [
        (.integer("n", in: 1...4), "[1, 4, 4.0]", #"[0, 5, 1.5, "2", null]"#),
        (.integer("n", in: 0...Int.max), "[0, 9223372036854775807]", "[-1]"),
        (.integer("n"), "[-9223372036854775808]", "[1e300, true]"),
        (.number("x", in: 0.5...2), "[0.5, 2]", #"[0.4, 3, "1"]"#),
        (.text("t", oneOf: ["a", "b"]), #"["a"]"#, #"["c", "A", 1]"#),
        (.text("composed", oneOf: ["\u{E9}"]), #"["\u00e9"]"#, #"["e\u0301"]"#),
        (.text("t", length: 1...2), #"["ä", "ab", "👍🏽"]"#, #"["", "abc"]"#),
        (.boolean("b"), "[true]", #"[1, "true"]"#),
        (.integer("n", in: 1...4).optional, "[null, 3]", "[9]"),
        (
            .object("o", [.integer("n", in: 1...4), .text("t").optional]), #"[{"n":1}, {"n":4,"t":"x","more":1}]"#,
            #"[{}, {"n":5}, {"n":1,"t":7}, 3, "n"]"#
        ),
    ]

    @Test(arguments: checks.indices)
    func `A value's bounds are checked`(index: Int) throws {
        let (kind, allowed, refused) = Self.checks[index]
        for value in try elements(allowed) { #expect(kind.allows(value), "\(kind.schema) should allow \(value)") }
        for value in try elements(refused) { #expect(!kind.allows(value), "\(kind.schema) should refuse \(value)") }
    }

    private func elements(_ text: String) throws -> [JSON] {
        guard case .array(let values) = try JSON(parsing: text) else { return [] }
        return values
    }

    private static let words: [(Kind, hint: String?, schema: String)] = [
        (.integer("n", in: 1...4), "1 to 4", #"{"name":"n","type":"integer","minimum":1,"maximum":4}"#),
        (.integer("n", in: 0...Int.max), "0 or more", #"{"name":"n","type":"integer","minimum":0}"#),
        (.integer("n", in: Int.min...9), "9 or less", #"{"name":"n","type":"integer","maximum":9}"#),
        (.integer("n"), nil, #"{"name":"n","type":"integer"}"#),
        (.number("x", in: 0.5...2), "0.5 to 2", #"{"name":"x","type":"number","minimum":0.5,"maximum":2.0}"#),
        (.text("t", oneOf: ["a", "b", "c"]), "a, b or c", #"{"name":"t","type":"string","enum":["a","b","c"]}"#),
        (.text("t", length: 1...20), "1 to 20 characters", #"{"name":"t","type":"string","minLength":1,"maxLength":20}"#),
        (
            .text("t", length: 2...2, hint: "like DE"), "like DE",
            #"{"name":"t","type":"string","minLength":2,"maxLength":2,"description":"like DE"}"#
        ),
        (.boolean("b"), nil, #"{"name":"b","type":"boolean"}"#),
        (.boolean("b").optional, nil, #"{"name":"b","type":"boolean","optional":true}"#),
        (
            .object("o", [.integer("n", in: 1...4), .text("t").optional]), "{n: a whole number, 1 to 4; t: a text (optional)}",
            #"{"name":"o","type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":4},"t":{"type":"string"}},"required":["n"]}"#
        ),
    ]

    @Test(arguments: words.indices)
    func `A value's bounds are described in words and in JSON Schema`(index: Int) {
        let (kind, hint, schema) = Self.words[index]
        #expect(kind.hint == hint)
        #expect(kind.schema.description == schema)
    }

    @Test func `A parameter's schema has its bounds and its default`() {
        let minutes = Parameter.integer("minutes", in: 10...120, default: 60)
        #expect(minutes.schema.description == #"{"name":"minutes","type":"integer","minimum":10,"maximum":120,"default":60}"#)
    }
}

@Suite struct `An event with bounds` {
    @Test(arguments: [
        ("tune", "1.5", ""),
        ("tune", "3", "'tune' expects 'pitch', a number: 0.5 to 2"),
        ("paint", "green", ""),
        ("paint", #"{"color":"pink"}"#, "'paint' expects 'color', a text: red, green or blue"),
        ("paint", "7", "'paint' expects 'color', a text: red, green or blue"),
        ("name", "andy", "'name' expects 'name', a text: 1 to 3 characters"),
        ("name", "471", ""),
        ("name", "007", ""),
        ("name", "4711", "'name' expects 'name', a text: 1 to 3 characters"),
        ("name", #"{"name":7}"#, "'name' expects 'name', a text: 1 to 3 characters"),
        ("name", "null", "'name' expects 'name', a text: 1 to 3 characters"),
        ("shine", #"{"on":false}"#, ""),
        ("shine", "1", "'shine' expects 'on', true or false"),
        ("move", #"{"column":8,"row":1}"#, ""),
        (
            "move", #"{"column":9,"row":1}"#,
            "'move' expects 'to', an object: {column: a whole number, 1 to 8; row: a whole number, 1 to 8; why: a text, 0 to 5 characters (optional)}; 'column' cannot be 9"
        ),
        (
            "move", #"{"column":8}"#,
            "'move' expects 'to', an object: {column: a whole number, 1 to 8; row: a whole number, 1 to 8; why: a text, 0 to 5 characters (optional)}; 'row' is missing"
        ),
    ])
    func `An event with an invalid payload is refused before decoding, with the allowed values`(
        event: String, payload: String, sentence: String
    ) throws {
        let board = try FlowUnderTest(Board.self)
        var refusal = ""
        do { _ = try board.machine.send(named: event, payload: Payload(text: payload), from: .network) } catch {
            refusal = "\(error)"
        }
        #expect(refusal == sentence)
        #expect(board.machine.version == (sentence.isEmpty ? 1 : 0))
    }

    @Test func `An event that carries an object is refused without it`() throws {
        let board = try FlowUnderTest(Board.self)
        #expect(throws: Refusal.self) { _ = try board.machine.send(named: "move", from: .network) }
        #expect(throws: Refusal.self) { _ = try board.machine.send(named: "move", payload: 3, from: .network) }
    }

    /// Typed code sends events without decoding them.
    @Test func `A transition can check a value with the event's own declaration`() throws {
        let board = try FlowUnderTest(Board.self)
        let refusal = #expect(throws: Refusal.self) { try board.send(.move(column: 9, row: 1, why: "")) }
        #expect(refusal?.description == "'column' is a whole number: 1 to 8, and not 9")
    }
}

@Suite struct `A state from outside` {
    @Test(arguments: [
        (#"{"column":8,"trail":[]}"#, ""),
        (#"{"column":9,"trail":[]}"#, "'playing' expects 'column', a whole number: 1 to 8"),
        (#"{"column":"a","trail":[]}"#, "'playing' expects 'column', a whole number: 1 to 8"),
        (#"{"column":1,"mood":"glad","trail":[{"column":2}]}"#, ""),
        (#"{"column":1,"mood":null,"trail":[]}"#, ""),
        (#"{"column":1,"mood":"dull","trail":[]}"#, "'playing' expects 'mood', a text: glad or sad"),
        (#"{"column":1,"trail":[{"column":2},{"column":0}]}"#, "'playing' expects 'column', a whole number: 1 to 8"),
        // It is no timer, for all that it has one's name in it.
        (#"{"column":1,"trail":[],"step":{"timer":"it","column":0}}"#, "'playing' expects 'column', a whole number: 1 to 8"),
    ])
    func `The data of a forced state is checked against the flow's fields at any depth`(data: String, sentence: String) throws {
        let board = try FlowUnderTest(Board.self)
        var refusal = ""
        do { try board.machine.force("playing", data: JSON(parsing: data)) } catch { refusal = "\(error)" }
        #expect(refusal == sentence)
        #expect(board.machine.version == (sentence.isEmpty ? 1 : 0))
    }

    @Test func `The data of a forced state gives remaining time in nanoseconds or milliseconds`() throws {
        func left(_ timer: JSON) throws -> Duration? {
            let lamp = try FlowUnderTest(Kettle.self)
            try lamp.machine.force("boiling", data: ["boiling": timer])
            return lamp.remaining("boiling")
        }
        #expect(try left(["remaining_ns": 1_500_000]) == .microseconds(1_500))
        #expect(try left(["remaining_ms": 1_500]) == .milliseconds(1_500))
        #expect(try left([:]) == .seconds(60))
        let both = #expect(throws: Refusal.self) { try left(["remaining_ms": 1, "remaining_ns": 1]) }
        #expect(both?.description.hasSuffix("one of them is enough") == true)
        let tooLong = #expect(throws: Refusal.self) { try left(["remaining_ms": .integer(.max)]) }
        #expect(tooLong?.description.contains("time ends") == true)
        let fraction = #expect(throws: Refusal.self) { try left(["remaining_ms": .number(1.5)]) }
        #expect(fraction?.description.contains("'remaining_ms' of the timer 'boiling' is a whole number") == true)
    }

    /// Shown milliseconds are rounded up, so that remaining time is never shown as zero.
    @Test func `A timer's remaining time is shown in whole milliseconds, and saved to the nanosecond`() throws {
        let kettle = try FlowUnderTest(Kettle.self)
        try kettle.machine.force("boiling", data: ["boiling": ["remaining_ns": 1_000_001]])
        let (shown, saved) = (try kettle.machine.shownData(), try kettle.machine.stateData())
        #expect(shown.description == #"{"boiling":{"timer":"boiling","remaining_ms":2,"paused":false,"event":"whistle"}}"#)
        #expect(
            saved.description == #"{"boiling":{"timer":"boiling","remaining_ns":1000001,"paused":false,"event":"whistle"}}"#)
    }
}

@Suite struct `An action` {
    /// Work sends its results itself, so they have no button.
    @Test func `An action is an event that clients may send, and not one that only timers or work send`() {
        let kind = TypedFlowKind<Kettle>()
        #expect(kind.eventNames == ["whistle", "fill", "filled", "taste"])
        #expect(
            kind.actionTexts == [
                nil, #"{"event":"fill","label":"Fill it","payload":null}"#, nil,
                #"{"event":"taste","label":"Taste","payload":{"name":"cups","type":"integer","minimum":1,"maximum":2}}"#,
            ])
    }
}

private struct Kettle: TypedFlow {
    enum State: FlowState { case cold, boiling(boiling: Countdown) }
    enum Event: Equatable { case whistle, fill, filled, taste(cups: Int) }

    static let events = Catalogue<Event>(
        .timer(.whistle), .plain(.fill, label: "Fill it"), .plain(.filled, from: [.orchestrators, .timers]),
        .integer(Event.taste, in: 1...2, from: .clients.union(.orchestrators), samples: [1]))
    static let boiling = TimerPlan.countdown("boiling", .seconds(60), message: Event.whistle)
    static let timers = [boiling]
    let clock: FlowClock

    func initialState() -> State { .cold }
    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.boiling, _): { .cold }
        case (.cold, .fill): { .boiling(boiling: try Countdown(Self.boiling, on: clock)) }
        case (.cold, _): throw .transitionNotFound
        }
    }
}

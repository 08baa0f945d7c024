// The facts of refusals: stored as JSON, and their sentences.

import Testing
@testable import GameFlow

/// A flow with two events.
private struct Switch: TypedFlow {
    enum State: FlowState { case off, on }
    enum Event: Sendable { case turnOn, turnOff }

    static let events = Catalogue<Event>(.plain(.turnOn), .plain(.turnOff))

    let clock: FlowClock

    func initialState() throws -> State { .off }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.off, .turnOn): { .on }
        case (.on, .turnOff): { .off }
        default: throw .transitionNotFound
        }
    }
}

@Suite struct `The facts of a refusal` {
    private static let episode = PayloadKind.integer("episode", in: 1...4)
    private static let form = PayloadKind.object("form", [.text("name"), .integer("age", in: 0...150).optional])

    static let sentences: [(RefusalFacts, String)] = [
        (.notValid(accepted: ["a", "b"]), "'go' is not valid in 'start'; it accepts a, b"),
        (.notValid(accepted: []), "'go' is not valid in 'start'; it accepts no events"),
        (.notValid(accepted: ["go"]), "'go' is not valid in 'start' with this payload; it accepts go"),
        (.notValid(accepted: nil), "'go' is not valid in 'start'"),
        (.unknownEvent, "there is no event 'go'"), (.notAllowed, "'go' cannot come from ui"),
        (.notJSON(JSONError(at: 4, "a ':' is missing")), "the payload is not JSON: a ':' is missing at byte 5"),
        (.badPayload(PayloadProblem(nothingIn: "go")), "'go' carries nothing"),
        (.badPayload(PayloadProblem(episode, of: "go")), "'go' expects 'episode', a whole number: 1 to 4"),
        (.badPayload(PayloadProblem(episode, of: nil, given: "7")), "'episode' is a whole number: 1 to 4, and not 7"),
        (
            .badPayload(form.problem(with: ["age": 3], of: "form")),
            "'form' expects an object: {name: a text; age: a whole number, 0 to 150 (optional)}; 'name' is missing"
        ),
        (
            .badPayload(form.problem(with: ["name": "Ann", "age": -1], of: "form")),
            "'form' expects an object: {name: a text; age: a whole number, 0 to 150 (optional)}; 'age' cannot be -1"
        ),
        (
            .unreadableValue("ff", format: "uint16le", skipping: 2),
            "the device's value 'ff' holds no uint16le behind the first 2 bytes"
        ),
        (.vetoed("\"no\"; it accepts none"), "\"no\"; it accepts none"), (.message("not\nnow"), "not\nnow"),
        (.overLimit(.queued(64)), "64 events wait for this session already"),
        (.overLimit(.postponed(100)), "100 events are postponed already until the state changes"),
        (
            .overLimit(.heldBytes(10, adding: 3, atMost: 12)),
            "the waiting events of this session carry 10 bytes, and with these 3 more than 12"
        ),
        (
            .overLimit(.waitingBytes(10, adding: 3, atMost: 12)),
            "the waiting events carry 10 bytes, and with these 3 more than 12, which is the limit waiting-bytes"
        ),
        (.overLimit(.payloadBytes(9, atMost: 8)), "a payload has at most 8 bytes, not 9"),
        (.stale(StaleVersion(of: "room", version: 7, seen: 5)), "'room' is at version 7, not 5"),
        (
            .stale(StaleVersion(of: "room", version: 7, seen: 5, life: 3, seenLife: 2)),
            "'room' is at version 3:7, not 2:5: it was restarted, or dropped and created again"
        ),
        (.withdrawn(.dropped), "the session was dropped before the hook decided about the event"),
        (.withdrawn(.forced), "another state was forced before the hook decided about the event"),
        (
            .withdrawn(.timedOut(milliseconds: 500)),
            "the hook has not decided within 500 ms, so the event was withdrawn and has changed nothing"
        ),
        (
            .withdrawn(.timerEnded),
            "its timer ended before the hook decided, so the event was withdrawn and has changed nothing"
        ),
    ]

    @Test(arguments: sentences)
    func `The sentence is made from the facts, also from stored ones`(facts: RefusalFacts, sentence: String) {
        for facts in [facts, RefusalFacts(json: facts.json)] {
            #expect(facts.sentence(event: "go", in: "start", from: "ui") == sentence)
        }
    }

    @Test(
        arguments: sentences.map(\.0) + [
            .overLimit(.zeroTimers(9)), .overLimit(.messages(5, from: "a", to: "b")), .withdrawn(.moved),
        ])
    func `Stored facts are read back unchanged`(facts: RefusalFacts) {
        #expect(RefusalFacts(json: facts.json) == facts)
    }

    @Test func `A mask of accepted events is made again from their names, where the flow has all of them`() {
        let kind = TypedFlowKind<Switch>()
        let names = kind.names(of: 0b11)
        #expect(names.count == 2 && kind.withMask(.notValid(accepted: names)) == .notValidMask(accepted: 0b11))
        #expect(kind.withMask(.notValid(accepted: names + ["gone"])) == .notValid(accepted: names + ["gone"]))
        #expect(kind.withMask(.notValid(accepted: nil)) == .notValid(accepted: nil))
    }

    @Test(arguments: ["", "nonsense", "[]", "{}", #"{"payload":{}}"#, #"{"limit":{"of":"nothing","max":1}}"#, #"{"stale":3}"#])
    func `Unreadable facts become an empty message`(json: String) {
        #expect(RefusalFacts(json: json) == .message(""))
    }

    @Test func `An unknown event is refused as such, and any other refusal by the flow keeps its message`() throws {
        let machine = try FlowUnderTest { Switch(clock: $0) }.machine
        let unknown = #expect(throws: Refusal.self) { try machine.send(named: "open", from: .ui) }
        #expect(unknown.map { machine.refused("open", $0).facts } == .unknownEvent)
        #expect(machine.refused("open", .badEvent("not now")).facts == .message("not now"))
    }

    @Test func `A sentence has at most 1,024 bytes, however many events it lists`() {
        let facts = RefusalFacts.notValid(accepted: (0..<500).map { "event\($0)" })
        let sentences = [
            facts.sentence(event: "go", in: "start", from: "ui"),
            TypedFlowKind<Switch>().sentence(facts, event: "go", in: "start", from: .ui),
        ]
        for sentence in sentences { #expect((1_000...1_024).contains(sentence.utf8.count), "\(sentence.utf8.count)") }
    }

    @Test func `Long messages and long lists of names are cut to what a history entry has room for`() {
        let long = String(repeating: "\u{1}", count: 5_000)
        let facts: [RefusalFacts] = [
            .message(long), .vetoed(long), .notValid(accepted: (0..<2_000).map { "event\($0)" }),
            .badPayload(PayloadProblem(.text(long, oneOf: [long]), of: long, member: long, given: long)),
            .overLimit(.messages(5, from: long, to: long)),
        ]
        for facts in facts {
            let kept = Refused(event: "go", facts).facts
            #expect(kept.json.utf8.count <= 8_000, "\(kept.json.utf8.count)")
            #expect(RefusalFacts(json: kept.json) == kept)
        }
    }
}

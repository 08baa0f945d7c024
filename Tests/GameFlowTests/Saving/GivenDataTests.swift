// Data that a client gives for a state, and that a type reads in several ways.

import GameFlow
import Testing
import Timers

@Suite struct `Data given for a state` {
    private let keeper = Timekeeper(VirtualClock())

    @Test(
        arguments: [
            ("tagged", ["box": ["payload": ["kind": "round", "size": 3]]]),
            ("nested", ["box": ["payload": ["kind": "round", "size": 3]]]),
            ("either", ["box": ["payload": ["size": 3]]]),
            ("either", ["box": ["payload": ["kind": "round"]]]),
            ("listed", ["boxes": [["payload": ["size": 3]], ["payload": ["kind": "round"]]]]),
            ("timed", ["waits": [["remaining_ms": 5]]]),
        ] as [(String, JSON)])
    func `Data are accepted if each member is read by one of the types that read their object`(state: String, data: JSON) throws
    {
        let machine = try Machine<Parcels>(on: keeper)
        try machine.force(state, data: data)
        #expect(machine.stateName == state)
    }

    @Test(
        arguments: [
            ("tagged", ["box": ["payload": ["kind": "round", "size": 3, "sise": 4]]], "'tagged.box.payload'"),
            ("nested", ["box": ["payload": ["kind": "round", "size": 3, "sise": 4]]], "'nested.box.payload'"),
            ("either", ["box": ["payload": ["kind": "round", "sise": 4]]], "'either.box.payload'"),
            (
                "listed", ["boxes": [["payload": ["size": 3]], ["payload": ["kind": "round", "sise": 4]]]],
                "'listed.boxes.payload'"
            ),
        ] as [(String, JSON, String)])
    func `Data are refused if no type that reads their object reads a member`(state: String, data: JSON, path: String) throws {
        let machine = try Machine<Parcels>(on: keeper)
        let error = #expect(throws: Refusal.self) { try machine.force(state, data: data) }
        let sentence = error?.description ?? ""
        #expect(sentence.contains("\(path): there is no value 'sise'; available: ") && sentence.contains("kind"), "\(sentence)")
        #expect(machine.stateName == "empty")
    }
}

private struct Kind: Codable { let kind: String }
private struct Size: Codable { let size: Int }

private enum BoxKeys: CodingKey { case payload }

/// Decodes its payload as one type and then as another.
private struct Tagged: Codable {
    let kind: String
    let size: Int

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: BoxKeys.self)
        kind = try container.decode(Kind.self, forKey: .payload).kind
        size = try container.decode(Size.self, forKey: .payload).size
    }

    func encode(to encoder: any Encoder) throws {}
}

/// Opens its payload twice, with different keys.
private struct Nested: Codable {
    private enum KindKeys: CodingKey { case kind }
    private enum SizeKeys: CodingKey { case size }
    let kind: String
    let size: Int

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: BoxKeys.self)
        let kinds = try container.nestedContainer(keyedBy: KindKeys.self, forKey: .payload)
        let sizes = try container.nestedContainer(keyedBy: SizeKeys.self, forKey: .payload)
        (kind, size) = (try kinds.decode(String.self, forKey: .kind), try sizes.decode(Int.self, forKey: .size))
    }

    func encode(to encoder: any Encoder) throws {}
}

/// Decodes its payload as the first type that fits.
private struct Either: Codable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: BoxKeys.self)
        if let size = try? container.decode(Size.self, forKey: .payload) {
            text = "\(size.size)"
        } else {
            text = try container.decode(Kind.self, forKey: .payload).kind
        }
    }

    func encode(to encoder: any Encoder) throws {}
}

private struct Parcels: TypedFlow {
    enum State: FlowState {
        case empty
        case tagged(box: Tagged)
        case nested(box: Nested)
        case either(box: Either)
        case listed(boxes: [Either])
        case timed(waits: [Countdown])
    }
    enum Event: Sendable { case timeIsUp }

    static let name = "parcels"
    static let timers = [TimerPlan.countdown("waits", .seconds(30), message: Event.timeIsUp)]
    static let events = Catalogue<Event>([.timer(.timeIsUp)])

    static func configure(_ definition: inout FlowDefinition<Parcels>) { definition.isChecked = false }

    let clock: FlowClock

    func initialState() -> State { .empty }

    func transition(from _: State, on _: Event) throws(FlowError) -> Transition { { .empty } }
}

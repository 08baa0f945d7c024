// Sessions restored one after the other: a cache that the restorer keeps must not change any of them.

import GameFlow
import Testing
import Timers

@Suite struct `Sessions restored in one state` {
    private let keeper = Timekeeper(VirtualClock())
    private let setup = TypedFlowKind<Notes>()

    private func machine(
        _ state: String, _ data: JSON = .object([]), away: Duration = .zero, timers: ArraySlice<TimerImage> = []
    ) throws -> Machine<Notes> {
        try Machine(on: keeper, kind: setup, startingIn: state, data: data, away: away, timers: timers)
    }

    @Test func `Each session restored in the same state has its own values`() throws {
        let machines = try (0..<20).map { number in
            try machine(
                "writing",
                [
                    "note": [
                        "words": .array((0..<number).map { .string("\($0)") }),
                        "counts": [.init(stringLiteral: "n\(number)"): 1],
                    ],
                    "size": .integer(number), "tea": ["timer": "tea", "remaining_ns": .integer(number * 1_000_000)],
                ])
        }
        for (number, machine) in machines.enumerated() {
            guard case .writing(let note, let size, let tea) = machine.state else { throw UnexpectedState() }
            #expect(note.words == (0..<number).map { "\($0)" } && note.counts == ["n\(number)": 1] && note.author == nil)
            #expect(size == number && tea.remaining == .milliseconds(number))
        }
    }

    @Test func `Each session restored in the same state has its own timers and time away`() throws {
        for (away, isPaused) in [(5, false), (7, true), (0, false), (29, false)] {
            let image = TimerImage(name: "tea", kind: .countdown, left: .seconds(30), isPaused: isPaused)
            let machine = try machine("waiting", away: .seconds(away), timers: [image])
            #expect(machine.timers.map(\.remaining) == [.seconds(isPaused ? 30 : 30 - away)])
        }
        let fresh = try machine("waiting")
        #expect(fresh.timers.map(\.remaining) == [.seconds(60)])
    }

    @Test func `A restored session has no values of the session restored before it`() throws {
        _ = try machine("writing", ["note": ["words": ["a"], "counts": [:], "author": "me"], "size": 1])
        guard case .writing(let note, _, _) = try machine("writing", ["note": ["words": [], "counts": [:]], "size": 2]).state
        else {
            throw UnexpectedState()
        }
        #expect(note.author == nil && note.words.isEmpty)
        let error = #expect(throws: RestorationError.self) { try machine("writing", ["note": ["words": [], "counts": [:]]]) }
        #expect(error?.description == "'writing': 'size' is missing")
        #expect(try machine("writing", ["note": ["words": ["b"], "counts": [:]], "size": 3]).stateName == "writing")
    }

    @Test func `Restoring a session reports a bad value with its path`() throws {
        for _ in 0..<2 {
            let error = #expect(throws: RestorationError.self) {
                try machine("writing", ["note": ["words": 5, "counts": [:]], "size": 1])
            }
            #expect(error?.description == "'writing.note.words': a list was expected")
        }
    }

    @Test func `A session can be restored while another one is being restored, and both get their defaults`() throws {
        let whole = try machine("nested", ["inner": ["depth": 3], "size": 1])
        guard case .nested(let inner, let size, let color) = whole.state else { throw UnexpectedState() }
        #expect(inner.depths == [3, 2, 1, 0] && size == 1 && color == "red")
    }

    @Test func `A decoder kept after a restore yields no values of later sessions`() throws {
        guard case .keeping(let kept) = try machine("keeping", ["kept": ["secret": 1]]).state else { throw UnexpectedState() }
        #expect(kept.secret == 1)
        _ = try machine("keeping", ["kept": ["secret": 2]])
        let found = try? kept.decoder.container(keyedBy: Kept.Keys.self).decode(Int.self, forKey: .secret)
        #expect(found == nil || found == 1)
    }
}

private struct UnexpectedState: Error {}

private struct Note: Codable {
    var words: [String]
    var counts: [String: Int]
    var author: String?
}

/// Restores another session of its kind while it is restored itself.
private struct Nested: Codable {
    var depths: [Int]

    init(from decoder: any Decoder) throws {
        let depth = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .depth)
        depths = [depth]
        guard depth > 0 else { return }
        let data: JSON = ["inner": ["depth": .integer(depth - 1)], "size": 9]
        let other = try Machine(on: Timekeeper(VirtualClock()), kind: Self.setup, startingIn: "nested", data: data)
        guard case .nested(let inner, 9, "red") = other.state else { throw UnexpectedState() }
        depths += inner.depths
        let again = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .depth)
        #expect(again == depth)
    }

    /// Only one thread uses it.
    nonisolated(unsafe) private static let setup = TypedFlowKind<Notes>()

    func encode(to encoder: any Encoder) throws {}

    enum Keys: CodingKey { case depth }
}

private struct Kept: Codable {
    let decoder: any Decoder
    let secret: Int

    init(from decoder: any Decoder) throws {
        self.decoder = decoder
        secret = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .secret)
    }

    func encode(to encoder: any Encoder) throws {}

    enum Keys: CodingKey { case secret }
}

private struct Notes: TypedFlow {
    enum State: FlowState {
        /// A note is being written, while the tea is drawing.
        case writing(note: Note, size: Int, tea: Countdown)
        /// A timer and no other values.
        case waiting(tea: Countdown)
        /// Restored from other sessions.
        case nested(inner: Nested, size: Int, color: String)
        /// Keeps the decoder that it was restored from.
        case keeping(kept: Kept)
    }

    enum Event: Sendable { case done }

    static let name = "notes"
    static let states = ["writing", "waiting", "nested", "keeping"]
    static let events = Catalogue<Event>(.plain(.done, label: "Done", from: .clients))
    static let tea = TimerPlan.countdown("tea", .seconds(60), message: Event.done)
    static let timers = [tea]
    static let fields: [PayloadKind] = [.text("color").defaulting(to: "red")]

    let clock: FlowClock

    func initialState() throws -> State { .waiting(tea: try Countdown(Self.tea, on: clock)) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition { throw .transitionNotFound }
}

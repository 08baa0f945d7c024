// A flow is compared with copies that each differ in one way.

import BuiltInFlows
import TestSupport
import Testing
import Timers

@testable import GameFlow

/// An oven: a dish is put in at some heat, bakes for a while, minute by minute, and is taken out.
private struct Oven: TypedFlow {
    /// The difference of a copy.
    enum Twist {
        case none
        case opensElsewhere, isHotter, refusesNine, refusesWithoutReason, bakesLonger, turnKeepsTime, countsTwice,
            countsTwiceLater
        case countsTwiceMuchLater, hasLight, hasBrokenLight, isNeverDone, cannotBegin, hasOtherWords
    }

    enum State: FlowState {
        case open
        case baking(heat: Int, minutes: Int, bake: Countdown, minute: Pendulum)
        case done
    }

    enum Event: Sendable { case bake(heat: Int), turn, open, light, timeIsUp, minute }

    static let heat = PayloadKind.integer("heat", in: 1...9)
    static let timers = timers(baking: .seconds(300))
    static let events = Catalogue<Event>(specs)
    private static let specs: [EventSpec<Event>] = [
        .integer(Event.bake, heat, samples: [1]), .plain(.turn), .plain(.open), .timer(.timeIsUp), .timer(.minute),
    ]

    static func timers(baking length: Duration) -> [TimerPlan] {
        [
            TimerPlan.countdown("bake", length, message: Event.timeIsUp),
            TimerPlan.pendulum("minute", every: .seconds(60), message: Event.minute),
        ]
    }

    let clock: FlowClock
    let twist: Twist

    init(clock: FlowClock) { self.init(clock, .none) }

    init(_ clock: FlowClock, _ twist: Twist) { (self.clock, self.twist) = (clock, twist) }

    var definition: FlowDefinition<Oven> {
        let specs = twist == .hasLight || twist == .hasBrokenLight ? Self.specs + [.plain(.light)] : Self.specs
        return FlowDefinition(name: "oven", states: Self.states, events: Catalogue(specs), timers: plans)
    }

    private var plans: [TimerPlan] { twist == .bakesLonger ? Self.timers(baking: .seconds(301)) : Self.timers }

    func initialState() throws -> State {
        if twist == .cannotBegin { throw FlowError.refused("the oven is broken") }
        return .open
    }

    func isFinal(_ state: State) -> Bool {
        if case .done = state { twist != .isNeverDone } else { false }
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.open, .bake(let heat)):
            if twist == .refusesNine, heat == 9 { throw .transitionNotFound }
            return bake(twist == .isHotter && heat == 2 ? 3 : heat)
        case (.open, .light) where twist == .hasLight: return { .open }
        case (.baking(let heat, let minutes, let bake, let minute), .turn):
            return {
                .baking(heat: heat, minutes: minutes, bake: self.twist == .turnKeepsTime ? bake : bake.again(), minute: minute)
            }
        case (.baking(let heat, let minutes, let bake, let minute), .minute):
            let doubled: [Twist: Int] = [.countsTwice: 0, .countsTwiceLater: 2, .countsTwiceMuchLater: 40]
            let step = minutes >= doubled[twist] ?? .max ? 2 : 1
            return { .baking(heat: heat, minutes: minutes + step, bake: bake, minute: minute) }
        case (.baking, .open): return { self.twist == .opensElsewhere ? .done : .open }
        case (.baking, .timeIsUp): return { .done }
        case (.open, .open) where twist == .refusesWithoutReason: throw .refused("it is open")
        case (.done, .open) where twist == .hasOtherWords: throw .transitionNotFound
        default: throw .transitionNotFound
        }
    }

    private func bake(_ heat: Int) -> Transition {
        {
            .baking(
                heat: heat, minutes: 0, bake: try Countdown(self.plans[0], on: self.clock),
                minute: try Pendulum(self.plans[1], on: self.clock))
        }
    }
}

@Suite(.withoutBacktraces) struct `A comparison of two flows` {
    private func compare(with twist: Oven.Twist) throws -> String {
        let oven = FlowKind.flow { Oven($0, .none) }
        return "\(try FlowComparison(oven, with: .flow { Oven($0, twist) }, names: ("oven", "copy")))"
    }

    @Test func `Two flows with the same behaviour compare as equal`() throws {
        let found = try FlowComparison(.flow { Oven($0, .none) }, with: .flow { Oven($0, .hasOtherWords) })
        #expect(found.isSame, "\(found)")
        #expect(found.states == ["open", "baking", "done"] && found.neverTaken.isEmpty)
        #expect(found.description.hasPrefix("oven vs oven: the same, in 3 states and "))
    }

    @Test func `An event that both flows always refuse is never taken, also where the rest is tried at random`() throws {
        let found = try FlowComparison(.flow { Oven($0, .hasBrokenLight) }, with: .flow { Oven($0, .hasBrokenLight) })
        #expect(found.isSame && found.isBounded, "\(found)")
        #expect(found.neverTaken == ["light"])
    }

    @Test(
        arguments: [
            (.opensElsewhere, "after bake {\"heat\":1}, open: 'open' against 'done'"),
            (.isHotter, "after bake {\"heat\":2}: in 'baking', heat is 2 against 3"),
            // Both ends of a range are tried.
            (
                .refusesNine,
                "after bake {\"heat\":9}: 'baking' against refused with NOTRANSITION ('bake' is not valid in 'open' with this payload; it accepts bake)"
            ),
            // Both refuse, with different error codes.
            (
                .refusesWithoutReason,
                "after open: refused with NOTRANSITION ('open' is not valid in 'open'; it accepts bake) against refused with BADEVENT (it is open)"
            ),
            (
                .bakesLonger,
                "after bake {\"heat\":1}: in 'baking', the countdown 'bake' with 5m left against the countdown 'bake' with 5m1s left"
            ),
            // Without time passing, a restarted countdown has the same remaining time as a kept one.
            (
                .turnKeepsTime,
                "after bake {\"heat\":1}, 1m, turn: in 'baking', the countdown 'bake' with 5m left against the countdown 'bake' with 4m left"
            ),
            (.countsTwice, "after bake {\"heat\":1}, 1m: in 'baking', minutes is 1 against 2"),
            (.countsTwiceLater, "after bake {\"heat\":1}, 3m: in 'baking', minutes is 3 against 4"),
            (.hasLight, "at the beginning: in 'open', it accepts bake against bake, light"),
            (.isNeverDone, "after bake {\"heat\":1}, the timer bake alone: 'done' is final against not final"),
            (.cannotBegin, "at the beginning: can begin against cannot (the oven is broken)"),
        ] as [(Oven.Twist, String)])
    private func `A comparison reports a difference with the shortest path to it`(twist: Oven.Twist, expected: String) throws {
        #expect(try compare(with: twist) == "oven vs copy: " + expected)
    }

    @Test func `A comparison tries random paths when there are too many, and shortens the path to a difference`() throws {
        let found = try FlowComparison(.flow { Oven($0, .none) }, with: .flow { Oven($0, .countsTwiceMuchLater) })
        #expect(found.description.hasPrefix("oven vs oven: after bake {"), "\(found)")
        #expect(found.description.hasSuffix(": in 'baking', minutes is 41 against 42"), "\(found)")
        guard case .differs(let path, _) = found.verdict else { return }
        // Baking ends after five minutes, unless the dish is turned.
        #expect(path.count < 80, "\(path)")
    }

    @Test func `Each built-in flow compares as equal to itself, in nearly all of its states`() throws {
        for flow in FlowKind.builtIn(work: .idle) {
            let found = try FlowComparison(flow, with: flow)
            #expect(found.isSame && found.states.count >= flow.states.count - 1, "\(found)")
        }
    }

    @Test func `A comparison makes few payloads of an event with many fields, since each has all of them`() throws {
        let fields = (0..<20_000).map { PayloadKind.integer("f\($0)", in: 1...9) }
        let wide = PayloadKind.object("wide", fields)
        #expect(wide.samplePayloads(atMost: 3).map { $0["f0"] } == [1, 2, 9])
        #expect(wide.samplePayloads(atMost: 4).last?["f1"] == 2)
        #expect(wide.refusedPayloads(atMost: 3).map { $0["f1"] } == [1, 1, 0])
        let flow = try FlowKind.chart(text: Self.flow(withFields: 256))
        #expect(ComparedEvent.all(of: flow, flow).count == 16)
        let partly = try FlowComparison(flow, with: flow)
        #expect(partly.isSame && partly.partlyTried == ["e"] && partly.description.contains("; not with all payloads: e"))
        let narrow = try FlowKind.chart(text: Self.flow(withFields: 20))
        #expect(ComparedEvent.all(of: narrow, narrow).count == 21)
        let whole = try FlowComparison(narrow, with: narrow)
        #expect(whole.isSame && whole.partlyTried.isEmpty && !whole.description.contains("payloads"))
    }

    @Test(arguments: ["maximum: 8", "maximum: 9, optional: true"])
    func `A comparison of payloads with many fields varies first the fields with different declarations`(other: String) throws {
        func flow(_ last: String) throws -> FlowKind {
            let fields = (0..<256).map { "f\($0): { type: 'integer', minimum: 1, \($0 == 255 ? last : "maximum: 9") }" }
            let payload = fields.joined(separator: ", ")
            return try .chart(
                text: "{ id: 'wide', events: { e: { payload: { \(payload) } } }, states: { a: { on: { e: 'a' } } } }")
        }
        let (one, another) = (try flow("maximum: 9"), try flow(other))
        #expect(try FlowComparison(one, with: one).isSame)
        #expect(try !FlowComparison(one, with: another).isSame && !FlowComparison(another, with: one).isSame)
    }

    @Test func `Repeated events and payloads are found without comparing each with all others`() {
        let counter = Counter()
        let elements = (0..<4_000).map { Counted(value: $0 % 2_000, counter: counter) }
        #expect(elements.withoutRepeats.map(\.value) == Array(0..<2_000))
        #expect(counter.comparisons < 100_000, "\(counter.comparisons)")
    }

    private final class Counter { var comparisons = 0 }

    /// Counts how often it is compared.
    private struct Counted: Hashable {
        let value: Int
        let counter: Counter

        static func == (left: Counted, right: Counted) -> Bool {
            left.counter.comparisons += 1
            return left.value == right.value
        }

        func hash(into hasher: inout Hasher) { hasher.combine(value) }
    }

    /// A flow with an event that has a payload of as many fields.
    private static func flow(withFields count: Int) -> String {
        let fields = (0..<count).map { "f\($0): { type: 'boolean' }" }.joined(separator: ", ")
        return "{ id: 'wide', events: { e: { payload: { \(fields) } } }, states: { a: { on: { e: 'a' } } } }"
    }

    @Test func `Flows with different initial states differ at the beginning`() throws {
        let found = try FlowComparison(.flow(Game.self), with: .flow(Turns.self))
        #expect(found.description == "game vs turns: at the beginning: 'introduction' against 'first'")
    }
}

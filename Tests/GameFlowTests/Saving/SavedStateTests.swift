// States as JSON and back, timers included.

import BuiltInFlows
import GameFlow
import Slowness
import Testing
import Timers

@Suite struct `Saved states` {
    private func restored(
        _ game: FlowUnderTest<Game>, after away: Duration = .zero
    ) throws -> FlowUnderTest<Game> {
        let text = try game.machine.stateData().description
        return try FlowUnderTest({ Game(clock: $0) }, startingIn: game.state, data: JSON(parsing: text), away: away)
    }

    private func playing(for length: Duration = .seconds(30.25)) throws -> FlowUnderTest<Game> {
        let game = try FlowUnderTest { Game(clock: $0) }
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(2))
        try game.send(.chooseLevel(4))
        game.advance(length)
        return game
    }

    @Test func `A saved state is readable JSON with its timers by name`() throws {
        #expect(
            try playing().machine.stateData().description
                == #"{"episode":2,"level":4,"play":{"timeLimit":{"timer":"timeLimit","remaining_ns":89750000000,"paused":false,"event":"timeIsUp"},"tick":{"timer":"tick","remaining_ns":750000000,"paused":false,"event":"tick"},"seconds":30}}"#
        )
    }

    @Test func `A saved state is restored with its timers in phase`() throws {
        let game = try restored(playing())
        #expect(game.remaining("timeLimit") == .seconds(89.75) && game.remaining("tick") == .seconds(0.75))
        game.advance(.seconds(0.75))
        #expect(try game.machine.stateData()["play"]?["seconds"] == 31)
        game.advance(.seconds(89))
        #expect(game.state == "finishedLevel")
    }

    @Test func `A restored timer's remaining time is reduced by the time away`() throws {
        let game = try restored(playing(), after: .seconds(10.5))
        #expect(game.remaining("timeLimit") == .seconds(79.25))
        game.advance(.zero)
        #expect(game.state == "playingLevel" && game.remaining("tick") == .seconds(0.25))
        let overdue = try restored(playing(), after: .seconds(3_600))
        overdue.advance(.zero)
        #expect(overdue.state == "finishedLevel")
    }

    @Test(arguments: [(RestartPolicy.keep, 15.0), (.freeze, 20), (.restart, 30)])
    func `A timer's restart policy keeps, freezes or restarts its remaining time`(policy: RestartPolicy, left: Double) throws {
        let plan = TimerPlan.countdown("it", .seconds(30), restart: policy, message: Game.Event.timeIsUp)
        let saved: JSON = ["timer": "it", "remaining_ns": 20_000_000_000, "paused": false]
        let keeper = Timekeeper(VirtualClock())
        let host = TimerHost(on: keeper)
        let state = try Holder.restored(
            "holding", ["it": saved], RestorationContext(on: host.clock, plans: [plan], stateName: "holding", away: .seconds(5))
        )
        guard case .holding(let timer) = state else { return }
        #expect(timer.remaining == .seconds(left))
    }

    @Test func `A paused timer is restored paused, and time away does not reduce it`() throws {
        let game = try FlowUnderTest { Game(clock: $0) }
        try game.send(.displayHelp)
        game.advance(.seconds(20))
        game.machine.timers.first?.pause()
        let back = try restored(game, after: .seconds(1_000))
        #expect(back.machine.timers.first?.isPaused == true && back.remaining("help") == .seconds(40))
    }

    @Test(arguments: Game.states)
    func `Every state of the game is the same after saving and restoring`(state: String) throws {
        let data: JSON = ["episode": 2, "level": 3, "score": 9, "play": ["seconds": 12]]
        let game = try FlowUnderTest({ Game(clock: $0) }, startingIn: state, data: data)
        game.advance(.milliseconds(10))
        let back = try restored(game)
        #expect(back.state == state)
        #expect(try back.machine.stateData() == game.machine.stateData())
    }

    @Test func `A page of a table flow remembers the page before it across a restore`() throws {
        let registration = try FlowUnderTest { Registration(clock: $0) }
        try registration.send(.next)
        try registration.send(.facebookRegister)
        try registration.send(.enterProfile(name: "Ann", email: nil))
        let data = try JSON(parsing: registration.machine.stateData().description)
        let back = try FlowUnderTest({ Registration(clock: $0) }, startingIn: "selectAvatar", data: data)
        try back.send(.back)
        #expect(back.state == "facebookProfile")
    }

    private func record<Value: Decodable>(_ json: JSON, as: Value.Type = Record.self) throws -> Value {
        let host = TimerHost(on: Timekeeper(VirtualClock()))
        return try RestorationContext(on: host.clock, plans: [], stateName: "kept").decode(from: json)
    }

    @Test func `A saved state has durations, large numbers and infinities as they were`() throws {
        let saved = Record(length: .seconds(10), seed: .max, count: 7, best: .infinity, worst: -.infinity)
        let text = try JSON(encoding: saved).description
        #expect(try record(JSON(parsing: text)) == saved, "\(text)")
        let unknown = try JSON(encoding: [Double.nan, 1]).description
        #expect(unknown == #"["nan",1.0]"#)
    }

    @Test func `A text in place of a number that JSON can hold is refused`() throws {
        for (name, text) in [("seed", "5"), ("best", "5.5"), ("count", "many")] {
            var members = ["length": [0, 5], "seed": 5, "count": 5, "best": 5, "worst": 5] as [String: JSON]
            #expect(throws: Never.self) { try record(.object(members.map { JSON.Member($0, $1) })) }
            members[name] = .string(text)
            #expect(throws: RestorationError.self) { try record(.object(members.map { JSON.Member($0, $1) })) }
        }
    }

    /// Four times the values may take ten times the processor time; copying the list for each value takes sixteen times as long.
    @Test func `Saving a state takes processor time in proportion to its values`() throws {
        let (few, many) = (try nanosecondsToSave(2_000), try nanosecondsToSave(8_000))
        #expect(many < few * 10, "2,000 values take \(few) ns, 8,000 take \(many) ns")
    }

    private func nanosecondsToSave(_ count: Int) throws -> Int {
        let list = Array(0..<count)
        let names = Dictionary(uniqueKeysWithValues: list.map { ("player \($0)", $0) })
        return try (0..<3).map { _ in
            let start = ThreadTime.now
            let (saved, named) = (try JSON(encoding: list), try JSON(encoding: names))
            let taken = ThreadTime.now - start
            #expect(saved.elements.count == count && named["player 1"] == 1)
            return taken
        }.min() ?? 0
    }

    @Test func `Restoring a state takes processor time in proportion to its values`() throws {
        let (few, many) = (try nanosecondsToRestore(2_000), try nanosecondsToRestore(8_000))
        #expect(many < few * 10, "2,000 values take \(few) ns, 8,000 take \(many) ns")
    }

    /// Also of a client's data, where unknown values are looked for.
    private func nanosecondsToRestore(_ count: Int) throws -> Int {
        let points = Dictionary(uniqueKeysWithValues: (0..<count).map { ("player \($0)", $0) })
        let data: JSON = ["points": try JSON(encoding: points)]
        let kind = TypedFlowKind<Scores>()
        return try (0..<3).map { _ in
            let keeper = Timekeeper(VirtualClock())
            let start = ThreadTime.now
            let saved = try kind.begin(on: keeper, at: SessionImage(state: "kept", data: data, isSaved: true))
            try saved.force("kept", data: data)
            let taken = ThreadTime.now - start
            #expect(try saved.stateData()["points"]?["player 1"] == 1)
            return taken
        }.min() ?? 0
    }

    @Test func `A state's numbers of 128 bits are saved and restored`() throws {
        let saved = Wide(high: .max, low: .min, small: 5, unsigned: .max, missing: nil, list: [.max, 1])
        let text = try JSON(encoding: saved).description
        #expect(try record(JSON(parsing: text), as: Wide.self) == saved, "\(text)")
        #expect(try JSON(parsing: text)["small"] == 5)
    }

    @Test func `Dictionaries and sets are saved in order, so that equal states have equal data`() throws {
        let cards = try FlowUnderTest { Scores(clock: $0) }
        try cards.send(.deal)
        #expect(
            try cards.machine.stateData().description
                == #"{"points":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1},"players":[7,8,9,10,11],"suits":["clubs",[],"hearts",["c","d"],"spades",["a","b"]]}"#
        )
        #expect(TypedFlowKind<Scores>().problems() == [])
    }

    @Test func `A dictionary's timers are restored under keys that begin with an underscore`() throws {
        let hands = try FlowUnderTest { Scores(clock: $0) }
        try hands.send(.wind)
        let data = try hands.machine.stateData()
        #expect(data["hands"]?["_left"]?["timer"] == "hand" && data["hands"]?["_right"]?["timer"] == "hand", "\(data)")
        let back = try TypedFlowKind<Scores>().begin(on: hands.timekeeper, at: SessionImage(of: hands.machine))
        #expect(try back.stateData() == data && back.timers.count == 2)
    }

    @Test func `A class in a state is restored with the values that it inherits`() throws {
        let saved = try JSON(encoding: Boat(sails: 2, length: 9))
        #expect(saved == ["sails": 2, "super": ["length": 9]])
        let back = try record(saved, as: Boat.self)
        #expect(back.sails == 2 && back.length == 9)
    }

    @Test func `A timer that the flow does not have is refused with an error message`() {
        let data: JSON = ["help": ["timer": "tea", "remaining_ns": 5]]
        let keeper = Timekeeper(VirtualClock())
        let host = TimerHost(on: keeper)
        let error = #expect(throws: RestorationError.self) {
            try Holder.restored("holding", data, RestorationContext(on: host.clock, plans: [], stateName: "holding"))
        }
        #expect(
            error?.description == "the flow has no countdown 'it' for 'holding': label the value with the timer's name")
    }
}

private struct Record: Codable, Equatable {
    let length: Duration
    let seed: UInt64
    let count: UInt
    let best: Double
    let worst: Float
}

private enum Holder: FlowState {
    case holding(it: Countdown)
}

private struct Wide: Codable, Equatable {
    let high: Int128
    let low: Int128
    let small: Int128
    let unsigned: UInt128
    let missing: UInt128?
    let list: [Int128]
}

private class Vessel: Codable {
    let length: Int

    init(length: Int) { self.length = length }
}

private final class Boat: Vessel {
    let sails: Int

    private enum CodingKeys: CodingKey { case sails }

    init(sails: Int, length: Int) {
        self.sails = sails
        super.init(length: length)
    }

    required init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        sails = try fields.decode(Int.self, forKey: .sails)
        try super.init(from: fields.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(sails, forKey: .sails)
        try super.encode(to: fields.superEncoder())
    }
}

/// Carries dictionaries and a set, which have no order.
private struct Scores: TypedFlow {
    enum Suit: String, Codable { case hearts, spades, clubs }

    enum State: FlowState {
        case kept(points: [String: Int])
        case dealt(points: [String: Int], players: Set<Int>?, suits: [Suit: Set<String>])
        case wound(hands: [String: Countdown])
    }

    enum Event: Sendable { case deal, wind, stop }

    static let events = Catalogue<Event>(.plain(.deal), .plain(.wind), .plain(.stop, from: .clientsAndTimers))
    static let hand = TimerPlan.countdown("hand", .seconds(10), message: Event.stop)
    static let timers = [hand]

    let clock: FlowClock

    func initialState() -> State { .kept(points: [:]) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.kept, .deal): deal()
        case (.kept, .wind): wind()
        case (.dealt, .stop), (.wound, .stop): { .kept(points: [:]) }
        default: throw .transitionNotFound
        }
    }

    private func deal() -> Transition {
        {
            .dealt(
                points: Dictionary(uniqueKeysWithValues: "dacbfe".map { ("\($0)", 1) }), players: [9, 10, 8, 7, 11],
                suits: [.spades: ["b", "a"], .hearts: ["d", "c"], .clubs: []])
        }
    }

    private func wind() -> Transition {
        {
            let hands = (try Countdown(Self.hand, on: clock), try Countdown(Self.hand, on: clock))
            return .wound(hands: ["_left": hands.0, "_right": hands.1])
        }
    }
}

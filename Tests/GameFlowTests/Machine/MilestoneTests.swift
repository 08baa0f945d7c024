// Milestones of a countdown in a flow: events that fire before its end.

import GameFlow
import Testing
import Timers

/// A round of an hour, or of as many minutes as its parameter says, whose end is announced.
private struct Round: TypedFlow {
    struct Context: SessionContext {
        var minutes = 60
    }

    enum State: FlowState {
        case playing(round: Countdown, announced: Int)
        case lastMinute(round: Countdown, announced: Int)
        case over
    }

    enum Event: Sendable { case tenMinutesLeft, oneMinuteLeft, timeIsUp, cheer }

    static let events = Catalogue<Event>(.timer(.tenMinutesLeft), .timer(.oneMinuteLeft), .timer(.timeIsUp), .plain(.cheer))
    static let round = TimerPlan.countdown(
        "round", .seconds(3_600), message: Event.timeIsUp,
        milestones: [
            Milestone(.seconds(600), message: Event.tenMinutesLeft), Milestone(.seconds(60), message: Event.oneMinuteLeft),
        ])
    static let timers = [round]

    let clock: FlowClock
    let context: Context

    init(clock: FlowClock, context: Context) { (self.clock, self.context) = (clock, context) }

    func plan(_ timer: TimerPlan) -> TimerPlan { timer.lasting(.seconds(60 * context.minutes)) }

    func initialState() throws -> State { .playing(round: try Countdown(plan(Self.round), on: clock), announced: 0) }

    func isFinal(_ state: State) -> Bool {
        if case .over = state { true } else { false }
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.playing(let round, let announced), .tenMinutesLeft): { .playing(round: round, announced: announced + 1) }
        case (.playing(let round, let announced), .oneMinuteLeft): { .lastMinute(round: round, announced: announced + 1) }
        case (.lastMinute, .timeIsUp): { .over }
        case (.playing, .cheer), (.lastMinute, .cheer): { state }
        default: throw .transitionNotFound
        }
    }
}

/// Records events as the history does.
private final class EntryRecorder: MachineWatcher {
    private(set) var lines: [String] = []

    override func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {
        let kind = machine.kind
        lines.append(
            "\(entry.eventName(in: kind) ?? "") by \(kind.timerName(at: entry.cause.timer) ?? "nobody") to \(machine.stateName)"
        )
    }
}

@Suite struct `A countdown with milestones` {
    @Test func `A countdown sends each milestone's event, and the history names the event and the timer`() throws {
        let round = try FlowUnderTest(of: TypedFlowKind<Round>())
        let recorder = EntryRecorder()
        round.kind.watch(recorder)
        round.advance(.seconds(3_000))
        #expect(round.state == "playing" && round.remaining("round") == .seconds(600))
        round.advance(.seconds(600))
        #expect(round.state == "over")
        #expect(
            recorder.lines == [
                "tenMinutesLeft by round to playing", "oneMinuteLeft by round to lastMinute", "timeIsUp by round to over",
            ])
        round.kind.watch(nil)
    }

    @Test func `A countdown carried to another state keeps its remaining time and milestones`() throws {
        let round = try FlowUnderTest(of: TypedFlowKind<Round>())
        round.advance(.seconds(3_540))
        #expect(round.state == "lastMinute" && round.remaining("round") == .seconds(60) && round.machine.timers.count == 1)
    }

    @Test(arguments: [
        (away: 100, state: "playing", announced: 0), (3_000, "playing", 1), (3_550, "lastMinute", 2), (4_000, "over", 2),
    ])
    func `A countdown fires the milestones that it passed during a downtime, in order`(away: Int, state: String, announced: Int)
        throws
    {
        let saved = try FlowUnderTest(of: TypedFlowKind<Round>()).machine.stateData()
        let round = try FlowUnderTest(of: TypedFlowKind<Round>(), startingIn: "playing", data: saved, away: .seconds(away))
        round.advance(.zero)
        #expect(round.state == state)
        if state != "over" { #expect(try round.machine.stateData()["announced"]?.integer == announced) }
    }

    @Test func `A countdown does not repeat a milestone that it passed before a restart`() throws {
        let before = try FlowUnderTest(of: TypedFlowKind<Round>())
        before.advance(.seconds(3_000))
        let saved = try before.machine.stateData()
        #expect(saved["announced"] == 1 && saved["round"]?["remaining_ns"] == .integer(600_000_000_000))
        let after = try FlowUnderTest(of: TypedFlowKind<Round>(), startingIn: "playing", data: saved)
        after.advance(.seconds(1))
        #expect(try after.machine.stateData()["announced"] == 1)
    }

    @Test func `A countdown whose length is a parameter fires only the milestones below that length`() throws {
        let round = try FlowUnderTest(of: TypedFlowKind<Round>(), context: ["minutes": 10])
        round.advance(.seconds(539))
        #expect(try round.machine.stateData()["announced"] == 0)
        round.advance(.seconds(1))
        #expect(round.state == "lastMinute")
    }

    @Test func `A milestone that a parameter moves to the end or past it is refused with the countdown, and traps nowhere`()
        throws
    {
        for left in [0, -60] {
            let plan = TimerPlan.countdown(
                "round", .seconds(60), message: Round.Event.timeIsUp,
                milestones: [Milestone(.seconds(left)), Milestone(.seconds(9))])
            let host = TimerHost(on: Timekeeper(VirtualClock()))
            let error = #expect(throws: TimerError.self) { try Countdown(plan, on: host.clock) }
            #expect(
                error?.description
                    == "the countdown 'round' cannot have a milestone at \(left == 0 ? "0s" : "-1m") left; it takes more than zero"
            )
        }
    }

    @Test func `A list of timers ahead names a countdown with the time to its next milestone`() throws {
        let round = try FlowUnderTest(of: TypedFlowKind<Round>())
        round.advance(.seconds(3_500))
        #expect(round.machine.timersAhead(["oneMinuteLeft", "timeIsUp"]) == "round, in 40s")
    }

    @Test func `A countdown is explored milestone by milestone`() throws {
        let edges = Set(try Exploration(TypedFlowKind<Round>()).edges.map { "\($0.from) \($0.step) \($0.to)" })
        #expect(
            edges.isSuperset(of: [
                "playing after round, 10m left playing", "playing after round, 1m left lastMinute",
                "lastMinute after round over",
            ]))
        #expect(!edges.contains("playing after round over"))
    }
}

@Suite struct `Problems of milestones` {
    private func problems(_ milestone: Milestone, _ events: [EventSpec<Round.Event>] = Round.events.specs) -> [String] {
        let plan = TimerPlan.countdown(
            "round", .seconds(3_600), message: Round.Event.timeIsUp,
            milestones: [
                Milestone(.seconds(600), message: Round.Event.tenMinutesLeft),
                Milestone(.seconds(60), message: Round.Event.oneMinuteLeft), milestone,
            ])
        let definition = FlowDefinition<Round>(
            name: "round", states: Round.states, events: Catalogue(events), timers: [plan],
            parameters: Round.definition.parameters)
        return FlowKind.flow(definition) { Round(clock: $0, context: $1) }.problems()
    }

    @Test func `A milestone without mistakes has no problems`() throws {
        #expect(problems(Milestone(.seconds(30), message: Round.Event.oneMinuteLeft)) == [])
    }

    @Test(arguments: [3_600, 4_000])
    func `A milestone at or before the start of its countdown is a problem`(seconds: Int) throws {
        let found = problems(Milestone(.seconds(seconds), message: Round.Event.oneMinuteLeft))
        #expect(found.count == 1 && found[0].hasPrefix("the milestone of the countdown 'round' at "))
        #expect(found[0].hasSuffix("never comes, as the countdown lasts 1h: give it less than that"))
    }

    @Test func `A milestone without an event, or with one that no timer may send, is a problem`() throws {
        #expect(
            problems(Milestone(.seconds(30))) == [
                "the milestone of the countdown 'round' at 30s left sends nothing: give it a message"
            ])
        #expect(
            problems(Milestone(.seconds(30), message: Round.Event.cheer)).first?.contains("'cheer', which a client may send")
                == true)
        #expect(
            problems(Milestone(.seconds(30), message: Round.Event.cheer), Round.events.specs.dropLast()).contains {
                $0.contains("which is missing from 'events'")
            })
    }
}

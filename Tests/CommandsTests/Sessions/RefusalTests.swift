// Error messages of refusals: the events that are accepted instead, or the timers that fire next.

import GameFlow
import RESP
import Testing
import Timers
@testable import Commands
@testable import Sessions

private let waiting = "'answer' is not valid in 'reveal'; it accepts no events until a timer fires"

/// A quiz that shows the answer for a while, and waits for its own work before it begins.
private struct Quiz: TypedFlow {
    enum State: FlowState {
        case loading
        case asking(thinking: Countdown)
        case reveal(show: Countdown, blink: Pendulum)
        case credits(one: Countdown, two: Countdown, three: Countdown, four: Countdown, five: Countdown)
        /// A timer's event would be accepted, but there is no timer.
        case stuck
        case over
    }

    enum Event: Sendable { case answer, loaded, skip, shout, timeIsUp, next, blink }

    static let events = Catalogue<Event>(
        .plain(.answer), .plain(.loaded, from: .orchestrators), .plain(.skip, from: .orchestrators),
        .plain(.shout, from: .anyone), .timer(.timeIsUp),
        .timer(.next),
        .timer(.blink))
    static let thinking = TimerPlan.countdown("thinking", .seconds(10), message: Event.timeIsUp)
    static let show = TimerPlan.countdown("show", .milliseconds(30_000), message: Event.next)
    static let blink = TimerPlan.pendulum("blink", every: .seconds(2), message: Event.blink)
    static let credits = ["one", "two", "three", "four", "five"].enumerated().map {
        TimerPlan.countdown($1, .seconds(60 * ($0 + 1)), message: Event.next)
    }
    static let timers = [thinking, show, blink] + credits

    let clock: FlowClock

    func initialState() throws -> State { .loading }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.loading, .loaded): { .asking(thinking: try Countdown(Self.thinking, on: clock)) }
        case (.asking, .answer), (.asking, .timeIsUp): presentAnswer()
        case (.asking, .skip), (.reveal, .next): presentCredits()
        case (.reveal, .blink): { state }
        case (.credits, .next): { .over }
        case (.stuck, .next): { .over }
        default: throw .transitionNotFound
        }
    }

    private func presentAnswer() -> Transition {
        { .reveal(show: try Countdown(Self.show, on: clock), blink: try Pendulum(Self.blink, on: clock)) }
    }

    private func presentCredits() -> Transition {
        {
            let timers = try Self.credits.map { try Countdown($0, on: clock) }
            return .credits(one: timers[0], two: timers[1], three: timers[2], four: timers[3], five: timers[4])
        }
    }
}

/// A door that only its timer closes. It counts how often a transition is selected.
private struct Door: TypedFlow {
    final class Count { var value = 0 }

    enum State: FlowState {
        case closing(left: Countdown)
        case closed
    }

    enum Event: Sendable { case open, close }

    static let events = Catalogue<Event>(.plain(.open), .timer(.close))
    static let closing = TimerPlan.countdown("closing", .seconds(30), message: Event.close)
    static let timers = [closing]

    let clock: FlowClock
    var selections = Count()

    init(clock: FlowClock) { self.clock = clock }

    func initialState() throws -> State { .closing(left: try Countdown(Self.closing, on: clock)) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        selections.value += 1
        guard case (.closing, .close) = (state, event) else { throw .transitionNotFound }
        return { .closed }
    }
}

@Suite struct `A refusal` {
    private let host: Host
    private let client: LocalClient

    init() throws {
        host = Host(on: Timekeeper(VirtualClock()), flows: [.flow(Quiz.self)], commands: .all)
        client = LocalClient(of: host, from: .network)
        for state in ["asking", "reveal", "credits", "stuck", "over"] {
            _ = client.run(["NEW", state, "quiz", "{\"state\":\"\(state)\"}"])
        }
        _ = client.run(["NEW", "loading", "quiz"])
    }

    private func say(_ line: String, from other: LocalClient? = nil) -> String {
        switch (other ?? client).run(line.split(separator: " ").map(String.init)).last {
        case .error(let code, let text)?: "\(code) \(text)"
        case let reply?: reply.text ?? "\(reply)"
        case nil: "nothing"
        }
    }

    private func history(_ session: String) -> [String] {
        guard let session = host.sessions.find(session) else { return [] }
        return session.history(50).compactMap { $0.refusal(in: session.machine.kind) }
    }

    @Test func `A refusal in a state that accepts no events names the timers and their remaining times`() {
        _ = say("ADVANCE 300")
        #expect(
            say("SEND reveal answer")
                == "NOTRANSITION \(waiting): blink, in 1.7s; show, in 29.7s")
        _ = say("PAUSE reveal show")
        #expect(
            say("SEND reveal answer")
                == "NOTRANSITION \(waiting): blink, in 1.7s; show, paused")
        _ = say("PAUSE reveal")
        #expect(say("SEND reveal answer").hasSuffix("; it accepts no events until a timer fires: blink, paused; show, paused"))
        #expect(history("reveal") == Array(repeating: waiting, count: 3))
    }

    @Test func `A refusal thrown in the process has the same error message as a reply`() throws {
        let machine = try #require(host.sessions["reveal"])
        let refusal = #expect(throws: Refusal.self) { try machine.send(named: "answer", from: .ui) }
        #expect(refusal?.description == "\(waiting): blink, in 2s; show, in 30s")
    }

    @Test func `A refusal shows the current remaining times of at most three timers`() {
        #expect(say("SEND credits answer").hasSuffix("a timer fires: one, in 1m; two, in 2m; three, in 3m; and 2 more"))
        _ = say("ADVANCE 59500")
        #expect(say("SEND credits answer").hasSuffix("a timer fires: one, in 500ms; two, in 1m1s; three, in 2m1s; and 2 more"))
    }

    @Test func `A repeated refusal tries each event once where only timers lead on`() {
        let selections = Door.Count()
        let kind = FlowKind.flow(Door.definition) { clock, _ in
            var door = Door(clock: clock)
            door.selections = selections
            return door
        }
        let client = LocalClient(of: Host(on: Timekeeper(VirtualClock()), flows: [kind], commands: .all), from: .network)
        _ = client.run(["NEW", "room", "door"])
        _ = client.run(["SEND", "room", "open"])
        selections.value = 0
        _ = client.run(["SEND", "room", "open"])
        #expect(selections.value == 3, "the event that is sent, and each of the two as a trial")
    }

    @Test func `A refusal names the timer that has just changed the state`() {
        _ = say("ADVANCE 10000")
        #expect(
            say("SEND asking answer") == """
                NOTRANSITION 'answer' is not valid in 'reveal'; it accepts no events until a timer fires: blink, in 2s; show, in 30s; \
                the timer 'thinking' moved it here 0 ms ago
                """)
        let refusal = "'answer' is not valid in 'reveal'; it accepts no events until a timer fires"
        #expect(history("asking") == ["\(refusal); the timer 'thinking' had just moved it here"])
        let entry = client.run(["HISTORY", "asking", "COUNT", "1"]).last?.elements.first
        #expect(entry?["timer"]?.text == "thinking" && entry?["what"]?.text == "refused")
    }

    @Test(arguments: ["over", "stuck"])
    func `A refusal in a state without timers says only that no events are accepted`(state: String) {
        #expect(say("SEND \(state) answer") == "NOTRANSITION 'answer' is not valid in '\(state)'; it accepts no events")
        #expect(history(state) == ["'answer' is not valid in '\(state)'; it accepts no events"])
    }

    @Test func `A refusal lists the events that its sender may send, and no others`() throws {
        #expect(
            say("SEND loading answer") == "NOTRANSITION 'answer' is not valid in 'loading'; it accepts no events from network")
        let work = LocalClient(of: host, from: .orchestrator)
        #expect(say("SEND asking loaded", from: work) == "NOTRANSITION 'loaded' is not valid in 'asking'; it accepts skip")
        #expect(say("SEND loading skip", from: work) == "NOTRANSITION 'skip' is not valid in 'loading'; it accepts loaded")
        #expect(
            history("loading") == [
                "'skip' is not valid in 'loading'; it accepts loaded",
                "'answer' is not valid in 'loading'; it accepts no events from network",
            ])
        // Each sender gets an error message of its own.
        for _ in 1...2 {
            #expect(say("SEND loading shout").hasSuffix("; it accepts no events from network"))
            #expect(say("SEND loading shout", from: work).hasSuffix("; it accepts loaded"))
        }
        let kind = try #require(host.sessions.flow(named: "quiz"))
        let refused = try #require(host.sessions.find("asking")?.machine.refused("loaded", try refusal(of: "loaded")))
        #expect(
            kind.sentence(refused.facts, event: "loaded", in: "asking", from: .network)
                == "'loaded' is not valid in 'asking'; it accepts answer")
    }

    /// Returns the refusal of an event that is sent in the process.
    private func refusal(of event: String) throws -> Refusal {
        let machine = try #require(host.sessions["asking"])
        return try #require(
            #expect(throws: Refusal.self) { try machine.send(named: event, from: .orchestrator) })
    }

    @Test func `A refusal of an unknown event suggests the nearest name that its sender may send`() {
        #expect(
            say("SEND asking anwser")
                == "BADEVENT 'quiz' has no event 'anwser'; did you mean 'answer'? Available: answer, shout")
        #expect(say("SEND asking lodaed") == "BADEVENT 'quiz' has no event 'lodaed'; available: answer, shout")
        let work = LocalClient(of: host, from: .orchestrator)
        #expect(
            say("SEND asking lodaed", from: work)
                == "BADEVENT 'quiz' has no event 'lodaed'; did you mean 'loaded'? Available: loaded, skip, shout")
        #expect(
            history("asking") == [
                "'quiz' has no event 'lodaed'; did you mean 'loaded'? Available: loaded, skip, shout",
                "'quiz' has no event 'lodaed'; available: answer, shout",
                "'quiz' has no event 'anwser'; did you mean 'answer'? Available: answer, shout",
            ])
    }

    @Test(
        arguments: [
            ([], "; it accepts no events"), (["shout"], "; it accepts shout"),
            (["answer"], " with this payload; it accepts answer"), (["gone", "shout"], "; it accepts gone, shout"),
        ])
    func `A stored refusal has the same error message and accepted events again, even if an event was removed`(
        accepted: [String], end: String
    ) throws {
        let kind = try #require(host.sessions.flow(named: "quiz"))
        let facts = kind.withMask(RefusalFacts(json: RefusalFacts.notValid(accepted: accepted).json))
        #expect(
            kind.sentence(facts, event: "answer", in: "reveal", from: .network) == "'answer' is not valid in 'reveal'\(end)")
        #expect(kind.accepted(insteadOf: Refused(event: "answer", facts), from: .network) == accepted)
    }
}

// Sessions in a program without a daemon, on a clock that the tests step.

import BuiltInFlows
import GameFlow
import Synchronization
import TestSupport
import Testing
import Timers

@Suite(.timeLimit(.minutes(1))) struct `A live session` {
    private let clock = StepClock()

    /// The first view with this state; nil if the views end before.
    private func view(_ state: String, in views: AsyncStream<ViewModel>) async -> ViewModel? {
        await views.first { $0.state == state }
    }

    @Test func `A live session accepts events, and its timers fire on its clock`() async throws {
        let session = try await LiveSession(Game.self, on: clock)
        try await session.send(.startPlaying)
        #expect(await session.state == "choosingEpisode")
        let views = await session.views
        await clock.step(by: .seconds(30))
        let view = await view("introduction", in: views)
        #expect(view?.clocks.isEmpty == true && view?.actions.isEmpty == false)
    }

    @Test func `A refusal names the accepted events, also after the session's state has changed`() async throws {
        let session = try await LiveSession(Game.self, on: clock)
        let refusal = await #expect(throws: EventRefusal.self) { try await session.send(.chooseLevel(3)) }
        try await session.send(.startPlaying)
        #expect(refusal?.code == .noTransition && refusal?.state == "introduction")
        #expect(refusal?.accepted == ["displayHelp", "startPlaying"])
        #expect(refusal?.description == "'chooseLevel' is not valid in 'introduction'; it accepts displayHelp, startPlaying")
    }

    @Test func `A slow reader of views gets the newest view, and a reader of events gets every event`() async throws {
        let session = try await LiveSession(Turns.self, on: clock)
        let (views, events) = (await session.views, await session.events)
        for _ in 1...999 { try await session.send(.pass) }
        var iterator = views.makeAsyncIterator()
        #expect(await iterator.next()?.state == "second")
        var count = 0
        for await change in events {
            count += 1
            if change.version == 999 { break }
        }
        #expect(count == 999)
    }

    @Test func `A state's work runs, and the event that it returns is sent`() async throws {
        let gate = WorkGate()
        let session = try await LiveSession(Onboarding.self, named: "tablet", on: clock) { onboarding in
            onboarding.orchestrate { session, state in
                guard case .accountLoader = state else { return nil }
                return {
                    _ = await gate.pass()
                    return .accountLoaderFinished(account: session.name)
                }
            }
        }
        let views = await session.views
        while gate.count == 0 { await Task.yield() }
        gate.open()
        #expect(await view("welcome", in: views)?.data == ["account": "tablet"])
    }

    @Test func `Work that never waits keeps no caller of a live session waiting`() async throws {
        let session = try await LiveSession(House.self, on: clock) { house in
            house.orchestrate { _, state in
                guard case .hall = state else { return nil }
                return {
                    while !Task.isCancelled { await Task.yield() }
                    return .cook
                }
            }
        }
        for _ in 0..<100 { #expect(await session.state == "hall") }
        try await session.send(.climb)
        #expect(await session.state == "attic")
    }

    @Test func `A live session without references ends though its work never waits`() async throws {
        weak var gone: LiveSession<House>?
        do {
            let session = try await LiveSession(House.self, on: clock) { house in
                house.orchestrate { _, _ in
                    {
                        while !Task.isCancelled { await Task.yield() }
                        return .cook
                    }
                }
            }
            gone = session
            #expect(await session.state == "hall")
        }
        while gone != nil { await Task.yield() }
    }

    @Test(arguments: [true, false])
    func `The sender of an event gets the decision of an asynchronous hook, and so does the sender of one behind it`(
        isVetoed: Bool
    )
        async throws
    {
        let gate = WorkGate()
        let session = try await LiveSession(Game.self, on: clock) { game in
            game.beforeAsync { _, change in
                guard change.eventName == "startPlaying" else { return }
                _ = await gate.pass()
                if isVetoed { throw FlowError.refused("not tonight") }
            }
        }
        let waiting = Task { try await session.send(.startPlaying) }
        while gate.count == 0 { await Task.yield() }
        let queued = Task.immediate { try await session.send(.displayHelp) }
        #expect(await session.state == "introduction")
        gate.open()
        let (first, second) = (await waiting.result, await queued.result)
        if isVetoed {
            let refusal = #expect(throws: EventRefusal.self) { try first.get() }
            #expect(refusal?.code == .vetoed && refusal?.description == "not tonight")
            #expect(try second.get() == .taken)
        } else {
            #expect(try first.get() == .taken)
            let refusal = #expect(throws: EventRefusal.self) { try second.get() }
            #expect(refusal?.code == .noTransition && refusal?.state == "choosingEpisode")
        }
    }

    @Test func `An asynchronous hook that does not return refuses its event after ten seconds, and the session continues`()
        async throws
    {
        let gate = WorkGate()
        let session = try await LiveSession(Game.self, on: clock) { game in
            game.beforeAsync { _, change in
                if change.eventName == "startPlaying" { _ = await gate.pass() }
            }
        }
        let waiting = Task { try await session.send(.startPlaying) }
        while gate.count == 0 { await Task.yield() }
        await clock.step(by: .seconds(10))
        let refusal = await #expect(throws: EventRefusal.self) { try await waiting.value }
        #expect(refusal?.code == .timeout && refusal?.state == "introduction")
        #expect(try await session.send(.displayHelp) == .taken)
        gate.open()
    }

    @Test func `The effects of a live session's steps are passed on in order, and are then done`() async throws {
        let (stream, requests) = AsyncStream.makeStream(of: Outgoing.self)
        let session = try await LiveSession(
            EffectFlow.self, on: clock, configure: EffectFlow.configure, outgoing: { requests.yield($0) })
        let effects: JSON = [["send": "wasHit", "to": "door"], ["begin": "kid", "flow": "effects", "context": [:]]]
        try await session.send(.perform(effects))
        try await session.send(.hit("window"))
        let saved = try await session.data()
        #expect(!saved.description.contains("wasHit"), "\(saved)")
        requests.finish()
        var found: [Effect] = []
        for await case .effect(let effect) in stream { found.append(effect) }
        #expect(
            found == [
                .send(event: "wasHit", data: nil, to: "door"), .begin(child: "kid", flow: "effects", context: [:]),
                .send(event: "wasHit", data: nil, to: "window"),
            ])
    }

    @Test func `A flow with effects does not start in a live session that would not carry them out`() async throws {
        let error = await #expect(throws: OutgoingError.self) {
            try await LiveSession(EffectFlow.self, on: clock, configure: EffectFlow.configure)
        }
        #expect(error?.description.hasPrefix("the flow 'effects' sends messages or begins sessions; pass LiveSession") == true)
    }

    @Test func `A live session can be paused and resumed, and its timers extended`() async throws {
        let session = try await LiveSession(Turns.self, on: clock)
        await session.pause()
        #expect(await session.view.isPaused)
        #expect(try await session.extend("turn", by: .seconds(10)) == .seconds(40))
        await session.resume()
        let views = await session.views
        await clock.step(by: .seconds(39))
        #expect(await session.state == "first")
        await clock.step(by: .seconds(1))
        #expect(await view("second", in: views) != nil)
        await #expect(throws: TimerError.self) { try await session.extend("nothing", by: .seconds(1)) }
    }

    @Test
    func `The data and the typed state of a live session have the time that remains now, and a changed timer fires in time`()
        async throws
    {
        let session = try await LiveSession(Game.self, on: clock)
        try await session.send(.startPlaying)
        let views = await session.views
        await clock.step(by: .seconds(10))
        #expect(try await session.data().description.contains("\"remaining_ns\":20000000000"))
        let remaining = try await session.read { state throws -> Duration? in
            guard case .choosingEpisode(_, let timer) = state else { return nil }
            try timer.extend(by: .seconds(-15))
            return timer.remaining
        }
        #expect(remaining == .seconds(5))
        await clock.step(by: .seconds(5))
        #expect(await view("introduction", in: views) != nil)
    }

    @Test func `A live session starts in a given state with given data`() async throws {
        let data: JSON = ["episode": 2, "level": 3, "play": ["seconds": 4]]
        let session = try await LiveSession(Game.self, startingIn: "playingLevel", data: data, on: clock)
        let seconds = await session.read { state in
            if case .playingLevel(_, _, _, let play) = state { play.seconds } else { 0 }
        }
        #expect(seconds == 4)
        await #expect(throws: (any Error).self) { try await LiveSession(Game.self, startingIn: "nowhere", on: clock) }
    }

    @Test func `The sessions of one flow check it once`() async throws {
        _ = try await LiveSession(CountedLamp.self, on: clock)
        let first = CountedLamp.begun.load(ordering: .relaxed)
        _ = try await LiveSession(CountedLamp.self, on: clock)
        #expect(CountedLamp.begun.load(ordering: .relaxed) == first + 1)
    }

    @Test func `A live session without references ends, and its views end with it`() async throws {
        weak var gone: LiveSession<Turns>?
        let views: AsyncStream<ViewModel>
        do {
            let session = try await LiveSession(Turns.self, on: clock)
            gone = session
            views = await session.views
        }
        var count = 0
        for await _ in views { count += 1 }
        #expect(count == 1)
        while gone != nil { await Task.yield() }
    }

    @Test @MainActor func `A model on the main actor mirrors the session, whose hooks are added there, and shows a refusal`()
        async throws
    {
        let (changes, source) = AsyncStream.makeStream(of: String.self)
        let session = try await LiveSession(Game.self, on: clock) { game in
            game.after { _, change in source.yield(change.to) }
        }
        let model = await LiveModel(session)
        await model.send(.startPlaying)
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == "choosingEpisode")
        #expect(model.view.state == "choosingEpisode" && model.refusal == nil)
        await model.send(.startPlaying)
        #expect(model.refusal?.accepted == ["chooseEpisode", "returnHome"])
        await clock.step(by: .seconds(30))
        while model.view.state != "introduction" { await Task.yield() }
    }
}

/// Counts the sessions that begin, those of its exploration included.
private struct CountedLamp: TypedFlow {
    enum State: FlowState { case off, on }
    enum Event: Sendable { case press }

    static let begun = Atomic(0)
    static let events = Catalogue<Event>(.plain(.press))
    let clock: FlowClock

    func initialState() -> State {
        Self.begun.add(1, ordering: .relaxed)
        return .off
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.off, .press): { .on }
        case (.on, .press): { .off }
        }
    }
}

// Timers without a flow: closures on an actor, on the machine's clock and in virtual time.

import TestSupport
import Testing
import Timers

@Suite(.timeLimit(.minutes(1))) struct `Timers that call closures` {
    @Test func `In virtual time each closure is called at its own instant, in order`() throws {
        let clock = VirtualClock()
        let group = TimerGroup(on: clock)
        var calls: [String] = []
        let tick = try Pendulum(every: .seconds(10), on: group) { missed in calls.append("tick \(missed)") }
        let closing = try Countdown(.seconds(25), on: group) { calls.append("closed") }
        #expect(group.advance(by: .seconds(30)) == 4)
        #expect(calls == ["tick 0", "tick 0", "closed", "tick 0"])
        #expect(closing.remaining == nil && tick.remaining == .seconds(10))
    }

    @Test func `Groups on one clock, and a clock that was moved, advance from its present instant`() throws {
        let clock = VirtualClock()
        let (one, two) = (TimerGroup(on: clock), TimerGroup(on: clock))
        var calls: [String] = []
        let timers = try [
            Countdown(.seconds(6), on: one) { calls.append("one") }, Countdown(.seconds(6), on: two) { calls.append("two") },
        ]
        one.advance(by: .seconds(5))
        two.advance(by: .seconds(1))
        #expect(calls == ["two"])
        clock.move(to: clock.now.advanced(by: .seconds(10)))
        #expect(one.advance(by: .seconds(1)) == 1 && calls == ["two", "one"])
        withExtendedLifetime(timers) {}
    }

    @Test func `A dropped timer and a timer without its group call no closure`() throws {
        let clock = VirtualClock()
        var group: TimerGroup? = TimerGroup(on: clock)
        var calls = 0
        var dropped: Countdown? = try Countdown(.seconds(1), on: #require(group)) { calls += 1 }
        #expect(dropped != nil)
        dropped = nil
        group?.advance(by: .seconds(2))
        let kept = try Countdown(.seconds(1), on: #require(group)) { calls += 1 }
        group = nil
        clock.move(to: clock.now.advanced(by: .seconds(5)))
        #expect(calls == 0 && kept.remaining == nil)
    }

    @Test func `A timer can be paused, resumed and extended, and its whole group frozen`() throws {
        let clock = VirtualClock()
        let group = TimerGroup(on: clock)
        var calls = 0
        let countdown = try Countdown(.seconds(10), on: group) { calls += 1 }
        countdown.pause()
        group.advance(by: .seconds(60))
        countdown.resume()
        try countdown.extend(by: .seconds(5))
        group.clock.freeze()
        group.advance(by: .seconds(60))
        #expect(countdown.remaining == .seconds(15) && calls == 0)
        group.clock.resume()
        group.advance(by: .seconds(15))
        #expect(calls == 1)
    }

    @Test func `A closure may restart its timer and drop it`() throws {
        let clock = VirtualClock()
        let group = TimerGroup(on: clock)
        var (calls, timer): (Int, Countdown?) = (0, nil)
        timer = try Countdown(.seconds(10), on: group) {
            calls += 1
            timer = calls < 3 ? timer?.again() : nil
        }
        group.advance(by: .seconds(100))
        #expect(calls == 3)
    }

    @Test func `A negative countdown and a period of zero are refused`() {
        let group = TimerGroup(on: VirtualClock())
        #expect(throws: TimerError.self) { try Countdown(.seconds(-1), on: group) {} }
        #expect(throws: TimerError.self) { try Pendulum(every: .zero, on: group) { _ in } }
    }

    @Test @MainActor func `On the machine's clock closures are called on the main actor`() async throws {
        var calls: [String] = []
        let (all, done) = AsyncStream.makeStream(of: Void.self)
        // A busy machine may swing once for several.
        let tick = try Pendulum(every: .milliseconds(20)) { missed in
            MainActor.preconditionIsolated()
            calls += Array(repeating: "tick", count: 1 + missed)
        }
        let long = try Countdown(.seconds(3_600)) { calls.append("never") }
        let short = try Countdown(.milliseconds(50)) { done.finish() }
        #expect(try #require(long.remaining) <= .seconds(3_600))
        for await _ in all {}
        #expect(calls.filter { $0 == "tick" }.count >= 2 && !calls.contains("never"))
        #expect(short.remaining == nil && tick.remaining != nil)
    }

    @Test @MainActor func `A timer that is extended or shortened on the machine's clock fires at its new time`() async throws {
        let (all, done) = AsyncStream.makeStream(of: Void.self)
        let far = try Countdown(.seconds(3_600)) { done.finish() }
        try far.extend(by: .seconds(-3_600) + .milliseconds(30))
        for await _ in all {}
        #expect(far.remaining == nil)
    }

    @Test func `A countdown restarted outside its closure has its full length`() async throws {
        let lobby = try await Lobby(StepClock())
        await lobby.clock.step(by: .milliseconds(500))
        let left = try await lobby.restart()
        #expect(left == .seconds(10))
    }

    @Test func `An actor that owns its timer group is released with its timers`() async throws {
        weak var gone: Lobby?
        do {
            let lobby = try await Lobby(StepClock(), weakly: true)
            gone = lobby
        }
        while gone != nil { await Task.yield() }
    }

    @Test @MainActor func `Closures that take longer than a pendulum's period do not fire without end`() async throws {
        let (all, done) = AsyncStream.makeStream(of: Void.self)
        let other = try Countdown(.seconds(3_600)) {}
        var swings = 0
        let tick = try Pendulum(every: .milliseconds(2)) { _ in
            swings += 1
            let end = ContinuousClock.now + .milliseconds(4)
            while ContinuousClock.now < end {}
            _ = other.remaining
            if swings == 5 { done.finish() }
        }
        for await _ in all {}
        #expect(tick.remaining != nil && swings < 50)
    }

    @Test func `An actor has timers of its own, on any clock`() async throws {
        let lobby = try await Lobby(StepClock())
        await lobby.clock.step(by: .seconds(9))
        #expect(await lobby.isOpen)
        await lobby.clock.step(by: .seconds(1))
        while await lobby.isOpen { await Task.yield() }
        let ticks = await lobby.ticks
        // The last one is due together with the closing.
        #expect(ticks == 9 || ticks == 10)
    }
}

/// Closes ten seconds after it was opened.
private actor Lobby {
    let clock: StepClock
    private(set) var isOpen = true
    private(set) var ticks = 0
    private var timers: TimerGroup?
    private var closing: Countdown?
    private var tick: Pendulum?

    init(_ clock: StepClock, weakly: Bool = false) async throws {
        self.clock = clock
        try open()
        // Its closure refers to the actor.
        if weakly { (closing, tick) = (nil, nil) }
    }

    private func open() throws {
        let timers = TimerGroup(on: clock, isolation: self)
        self.timers = timers
        closing = try Countdown(.seconds(10), on: timers) { self.isOpen = false }
        tick = try Pendulum(every: .seconds(1), on: timers) { missed in self.ticks += 1 + missed }
    }

    /// Returns the remaining time.
    func restart() throws -> Duration? {
        closing = closing?.again()
        return closing?.remaining
    }
}

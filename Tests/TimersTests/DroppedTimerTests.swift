// A timer that is dropped never fires, whatever else happens at that instant.

import Testing
import Timers

@Suite struct `Dropping a timer` {
    @Test func `A timer that is dropped by another one at the same instant does not fire`() throws {
        let watch = Stopwatch()
        let first = try watch.countdown("first", .seconds(1))
        var second: Countdown? = try watch.countdown("second", .seconds(1))
        watch.host.onFired = { _ in second = nil }

        watch.advance(.seconds(2))

        #expect(watch.log == ["1s first"])
        #expect(second == nil && first.remaining == nil)
    }

    @Test func `A later timer of the same instant cannot prevent an earlier one from firing`() throws {
        let watch = Stopwatch()
        var first: Countdown? = try watch.countdown("first", .seconds(1))
        let second = try watch.countdown("second", .seconds(1))
        watch.host.onFired = { if $0.timer === second { first = nil } }

        watch.advance(.seconds(2))

        #expect(watch.log == ["1s first", "1s second"])
        #expect(first == nil)
    }

    @Test func `An overdue timer does not fire if an earlier firing of the turn drops it`() throws {
        let watch = Stopwatch()
        let first = try watch.countdown("first", .seconds(1))
        var later: [StateTimer]? = [
            try watch.countdown("countdown", .seconds(2)), try watch.pendulum("pendulum", every: .seconds(3)),
        ]
        watch.host.onFired = { _ in later = nil }

        watch.stall(.seconds(10))

        #expect(watch.log == ["10s first"])
        #expect(later == nil && first.remaining == nil)
        #expect(watch.keeper.armedCount == 0)
    }

    @Test func `A pendulum that is dropped by its own swing does not fire again`() throws {
        let watch = Stopwatch()
        var pendulum: Pendulum? = try watch.pendulum("tick", every: .seconds(1))
        watch.host.onFired = { _ in pendulum = nil }

        watch.advance(.seconds(5))

        #expect(watch.log == ["1s tick"])
        #expect(pendulum == nil)
    }

    @Test func `A released host stops its timers, even those that are still referenced`() throws {
        let clock = VirtualClock()
        let keeper = Timekeeper(clock)
        var host: RecordingHost? = RecordingHost(on: keeper)
        let kept = try Countdown(.countdown("kept", .seconds(1)), on: #require(host).clock)
        host = nil

        #expect(keeper.advance(clock, by: .seconds(5)) == 0)
        #expect(kept.remaining == nil)
        #expect(throws: TimerError.finished(timer: "kept")) { try kept.extend(by: .seconds(1)) }
    }

    @Test func `A dropped timer leaves nothing armed in the timekeeper`() throws {
        let watch = Stopwatch()
        for _ in 0..<1_000 { _ = try watch.countdown("gone", .seconds(1)) }
        #expect(watch.keeper.armedCount == 0)
        #expect(watch.keeper.nextWake == nil)
        #expect(watch.flow.timers.isEmpty)
    }

    @Test func `A timer dropped from the middle of its session does not affect the others`() throws {
        let watch = Stopwatch()
        var timers = try (1...5).map { try watch.countdown("\($0)", .seconds($0)) }
        timers.remove(at: 2)
        timers.remove(at: 0)

        #expect(watch.flow.timers.map(\.plan.name) == ["2", "4", "5"])
        watch.advance(.seconds(9))
        #expect(watch.log == ["2s 2", "4s 4", "5s 5"])
        withExtendedLifetime(timers) {}
    }
}

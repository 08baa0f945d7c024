// The order and the instants of firings.

import Testing
import Timers

@Suite struct `The order of firing` {
    @Test func `Equal deadlines fire in the order of arming`() throws {
        let watch = Stopwatch()
        var timers = [try watch.countdown("a", .seconds(60))]
        for (name, wait) in [("b", 10.0), ("c", 49.0), ("d", 0.9), ("e", 0.09999), ("f", 0.00001)] {
            watch.advance(.seconds(wait))
            let passed = Instant.zero.duration(to: watch.keeper.now)
            timers.append(try watch.countdown(name, .seconds(60) - passed))
        }
        watch.advance(.seconds(60))
        #expect(watch.log == ["60s a", "60s b", "60s c", "60s d", "60s e", "60s f"])
        withExtendedLifetime(timers) {}
    }

    @Test func `A rearmed timer fires after others with the same deadline`() throws {
        let watch = Stopwatch()
        let first = try watch.countdown("first", .seconds(10))
        let second = try watch.countdown("second", .seconds(10))
        try first.extend(by: .seconds(1))
        try first.extend(by: .seconds(-1))

        watch.advance(.seconds(10))

        #expect(watch.log == ["10s second", "10s first"])
        withExtendedLifetime(second) {}
    }

    @Test func `Freezing and resuming does not change the order of equal deadlines`() throws {
        let watch = Stopwatch()
        let young = try watch.countdown("young", .seconds(9))
        let old = try watch.countdown("old", .seconds(10))
        try young.extend(by: .seconds(1))
        watch.flow.freeze()
        watch.advance(.seconds(5))
        watch.flow.resume()

        watch.advance(.seconds(10))

        #expect(watch.log == ["15s old", "15s young"])
        withExtendedLifetime(old) {}
    }

    @Test func `A clock that is frozen and resumed arms its timers after those of other sessions`() throws {
        let watch = Stopwatch()
        let other = RecordingHost(on: watch.keeper)
        var order: [String] = []
        watch.host.onFired = { order.append($0.timer.plan.name) }
        other.onFired = { order.append($0.timer.plan.name) }
        let timers = [
            try watch.countdown("first", .seconds(10)), try watch.countdown("second", .seconds(10)),
            try Countdown(.countdown("other", .seconds(10)), on: other.clock),
        ]
        watch.flow.freeze()
        watch.flow.resume()

        watch.advance(.seconds(10))

        #expect(order == ["other", "first", "second"])
        withExtendedLifetime(timers) {}
    }

    @Test func `After a stall due timers fire in order of deadline, not of arming`() throws {
        let watch = Stopwatch()
        let timers = [
            try watch.countdown("three", .seconds(3)), try watch.countdown("one", .seconds(1)),
            try watch.pendulum("two", every: .seconds(2)),
        ]
        watch.stall(.seconds(7))
        #expect(watch.log == ["7s one", "7s two missed 2", "7s three"])
        withExtendedLifetime(timers) {}
    }

    @Test func `A timer armed by a firing timer fires within the same advance`() throws {
        let watch = Stopwatch()
        var chain = [try watch.countdown("first", .seconds(1))]
        watch.host.onFired = { firing in
            guard firing.timer.plan.name == "first", let next = try? watch.countdown("second", .seconds(1)) else { return }
            chain.append(next)
        }
        #expect(watch.advance(.seconds(2)) == 2)
        #expect(watch.log == ["1s first", "2s second"])
    }

    @Test func `A countdown of zero fires in the same turn, after timers that are already due`() throws {
        let watch = Stopwatch()
        var timers = [try watch.countdown("a", .seconds(1)), try watch.countdown("b", .seconds(1))]
        watch.host.onFired = { firing in
            guard firing.timer.plan.name == "a", let zero = try? watch.countdown("zero", .zero) else { return }
            timers.append(zero)
        }
        watch.advance(.seconds(1))
        #expect(watch.log == ["1s a", "1s b", "1s zero"])
    }

    @Test func `A limit on firings leaves the other due timers for the next call`() throws {
        let watch = Stopwatch()
        let timers = try (1...5).map { try watch.countdown("\($0)", .zero) }
        #expect(watch.keeper.fireDue(atMost: 2) == 2)
        #expect(watch.keeper.hasDue)
        #expect(watch.keeper.fireDue() == 3)
        #expect(!watch.keeper.hasDue)
        #expect(watch.log == ["0s 1", "0s 2", "0s 3", "0s 4", "0s 5"])
        withExtendedLifetime(timers) {}
    }

    @Test func `Timers restored as overdue fire in order of deadline`() throws {
        let watch = Stopwatch()
        let timers = [-5.0, -3600, 2, -4, 0].map { left in
            Countdown(.countdown("\(left)", .zero), on: watch.flow, remaining: .seconds(left), isPaused: false)
        }
        watch.keeper.fireDue()
        #expect(watch.log == ["0s -3600.0", "0s -5.0", "0s -4.0", "0s 0.0"])
        withExtendedLifetime(timers) {}
    }
}

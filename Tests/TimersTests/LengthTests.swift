// Lengths from zero to decades, the remaining time, and the errors of bad lengths.

import Testing
import Texts
import Timers

@Suite struct `Lengths` {
    static let day = Duration.seconds(86_400)

    @Test(arguments: [.zero, .nanoseconds(1), .nanoseconds(63), .nanoseconds(64), .seconds(1), day * 30, day * 3653])
    func `A countdown fires at its length exactly, and not a nanosecond before`(length: Duration) throws {
        let watch = Stopwatch()
        let countdown = try watch.countdown("it", length)
        if length > .zero { watch.advance(length - .nanoseconds(1)) }
        #expect(watch.log.isEmpty == (length > .zero) || length == .zero)
        #expect(countdown.remaining == (length > .zero ? .nanoseconds(1) : .zero))
        watch.advance(.nanoseconds(1))
        #expect(watch.log.count == 1)
        #expect(countdown.remaining == nil)
    }

    @Test func `A restarted countdown has the full length, whether the first one is paused, fired or frozen`() throws {
        let watch = Stopwatch()
        let first = try watch.countdown("first", .seconds(10))
        watch.advance(.seconds(4))
        first.pause()
        let second = first.again()
        #expect(second.remaining == .seconds(10) && !second.isPaused && second.plan === first.plan)
        #expect(first.remaining == .seconds(6) && first.isPaused)
        watch.advance(.seconds(10))
        let third = second.again()
        #expect(second.remaining == nil && third.remaining == .seconds(10))
        watch.flow.freeze()
        let fourth = third.again()
        watch.advance(.seconds(60))
        #expect(fourth.remaining == .seconds(10), "the clock stands still")
        watch.flow.resume()
        watch.advance(.seconds(10))
        #expect(watch.log == ["14s first", "84s first", "84s first"])
    }

    @Test func `A fraction of a nanosecond is rounded up, so that no timer fires early`() {
        #expect(Duration(secondsComponent: 0, attosecondsComponent: 1).wholeNanoseconds == 1)
        #expect(Duration(secondsComponent: 0, attosecondsComponent: -1).wholeNanoseconds == 0)
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
    }

    @Test func `The longest countdown fires at the last instant, and can be shortened`() throws {
        let watch = Stopwatch()
        let longest = Duration.nanoseconds(Int64.max - 1)
        let countdown = try watch.countdown("longest", longest)
        let another = try watch.countdown("shortened", longest)
        try another.extend(by: .seconds(Int64.min))
        #expect(watch.advance(.zero) == 1)
        watch.advance(Self.day * 100_000)
        #expect(watch.log == ["0s shortened"])
        watch.advance(.seconds(Int64.max))
        #expect(watch.keeper.now == .last && watch.log.count == 2 && countdown.remaining == nil)
    }

    @Test func `A negative length or a period of zero throws, and nothing is armed`() {
        let watch = Stopwatch()
        #expect(throws: TimerError.negativeLength(timer: "it", .nanoseconds(-1))) {
            try watch.countdown("it", .nanoseconds(-1))
        }
        #expect(throws: TimerError.periodNotPositive(timer: "it", .zero)) {
            try watch.pendulum("it", every: .zero)
        }
        #expect(throws: TimerError.periodNotPositive(timer: "it", .seconds(-1))) {
            try watch.pendulum("it", every: .seconds(-1))
        }
        #expect(watch.keeper.armedCount == 0)
        #expect(TimerError.negativeLength(timer: "it", .seconds(-2)).description.contains("'it' cannot last -2s"))
    }

    @Test func `A countdown of ten years takes at most 11 turns`() throws {
        let watch = Stopwatch()
        let countdown = try watch.countdown("decade", Self.day * 3653)
        var turns = 0
        watch.keeper.advance(watch.clock, by: Self.day * 3653) {
            turns += 1
            return watch.keeper.fireDue()
        }
        #expect(turns <= 11)
        #expect(watch.log.count == 1)
        withExtendedLifetime(countdown) {}
    }

    @Test func `A timekeeper with nothing armed has no next wake time`() throws {
        let watch = Stopwatch()
        #expect(watch.keeper.nextWake == nil)
        var countdown: Countdown? = try watch.countdown("it", .seconds(5))
        #expect(watch.keeper.nextWake == watch.keeper.now.advanced(by: .seconds(5)))
        countdown = nil
        #expect(watch.keeper.nextWake == nil && countdown == nil)
    }
}

@Suite struct `The readable state of a timer` {
    @Test func `The remaining time of a timer is readable at any moment`() throws {
        let watch = Stopwatch()
        let countdown = try watch.countdown("it", .seconds(10))
        watch.advance(.milliseconds(2500))
        #expect(countdown.remaining == .milliseconds(7500))
        countdown.pause()
        watch.advance(.seconds(100))
        #expect(countdown.remaining == .milliseconds(7500) && countdown.deadline == nil)
        try countdown.extend(by: .seconds(-5))
        #expect(countdown.remaining == .milliseconds(2500))
        countdown.resume()
        #expect(countdown.deadline == watch.keeper.now.advanced(by: .milliseconds(2500)))
        watch.advance(.seconds(3))
        #expect(countdown.remaining == nil && countdown.deadline == nil)
    }

    @Test func `Every change of a timer gives it a new generation`() throws {
        let watch = Stopwatch()
        let countdown = try watch.countdown("it", .seconds(10))
        var seen: Set<UInt64> = [countdown.generation]
        let changes: [() throws -> Void] = [
            { countdown.pause() }, { countdown.resume() }, { try countdown.extend(by: .seconds(1)) },
            { watch.flow.freeze() }, { watch.flow.resume() },
        ]
        for change in changes {
            try change()
            #expect(seen.insert(countdown.generation).inserted)
        }
        let next = try watch.countdown("it", .seconds(10))
        #expect(!seen.contains(next.generation))
    }

    @Test func `A timer restored as finished has a generation of its own`() throws {
        let watch = Stopwatch()
        var seen: Set<UInt64> = []
        for _ in 0..<3 {
            let countdown = try watch.countdown("it", .seconds(10))
            #expect(seen.insert(countdown.generation).inserted)
        }
        // It reuses the slot of one of those.
        let finished = Countdown(.countdown("it", .seconds(10)), on: watch.flow, remaining: nil, isPaused: false)
        #expect(finished.remaining == nil && seen.insert(finished.generation).inserted)
    }

    @Test func `Pausing a paused timer or resuming a running one changes nothing`() throws {
        let watch = Stopwatch()
        let countdown = try watch.countdown("it", .seconds(10))
        let generation = countdown.generation
        countdown.resume()
        #expect(countdown.generation == generation)
        countdown.pause()
        let paused = countdown.generation
        countdown.pause()
        #expect(countdown.generation == paused)
    }

    @Test func `A finished timer can be neither extended nor resumed`() throws {
        let watch = Stopwatch()
        let countdown = try watch.countdown("it", .seconds(1))
        watch.advance(.seconds(1))
        #expect(throws: TimerError.finished(timer: "it")) { try countdown.extend(by: .seconds(1)) }
        countdown.pause()
        countdown.resume()
        watch.flow.freeze()
        watch.flow.resume()
        #expect(watch.advance(.seconds(10)) == 0)
    }

    @Test func `A paused or frozen timer that is shortened past zero fires at once`() throws {
        let watch = Stopwatch()
        let paused = try watch.countdown("paused", .seconds(10))
        let swinging = try watch.pendulum("swinging", every: .seconds(4))
        paused.pause()
        swinging.pause()
        try paused.extend(by: .seconds(-11))
        try swinging.extend(by: .seconds(-11))
        #expect(watch.advance(.zero) == 2)
        #expect(swinging.isPaused && swinging.remaining == .seconds(4))
        swinging.resume()
        watch.flow.freeze()
        try swinging.extend(by: .seconds(-4))
        #expect(watch.advance(.seconds(1)) == 1)
        #expect(watch.log == ["0s paused", "0s swinging", "0s swinging"])
        #expect(swinging.remaining == .seconds(4) && swinging.deadline == nil)
    }
}

@Suite struct `The phase of a pendulum` {
    @Test func `A pendulum does not drift in 1,000 swings`() throws {
        let watch = Stopwatch()
        let period = Duration.nanoseconds(1_000_003)
        let pendulum = try watch.pendulum("tick", every: period)
        let expected = (1...1000).map { "\(seconds(.zero.advanced(by: period * $0))) tick" }
        for _ in 0..<333 { watch.advance(.nanoseconds(3_003_012)) }
        watch.advance(.nanoseconds(1_000_003_000 - 333 * 3_003_012))
        #expect(watch.log == expected)
        withExtendedLifetime(pendulum) {}
    }

    @Test func `After a stall a pendulum swings once, reports the missed swings and keeps its phase`() throws {
        let watch = Stopwatch()
        let pendulum = try watch.pendulum("tick", every: .seconds(2))
        watch.advance(.seconds(3))
        watch.stall(.milliseconds(7_500))
        watch.advance(.seconds(4))
        #expect(watch.log == ["2s tick", "10.5s tick missed 3", "12s tick", "14s tick"])
        withExtendedLifetime(pendulum) {}
    }

    @Test func `A pendulum restored in the middle of a swing keeps its phase`() throws {
        let watch = Stopwatch()
        let plan = TimerPlan.pendulum("tick", every: .seconds(10))
        let late = try Pendulum(plan, on: watch.flow, remaining: .seconds(-25), isPaused: false)
        watch.advance(.seconds(11))
        #expect(watch.log == ["0s tick missed 2", "5s tick"])
        withExtendedLifetime(late) {}
    }
}

// The end of time, some 292 years ahead: later deadlines are refused, and nothing traps or hangs there.

import Testing
import Timers

@Suite struct `The end of time` {
    static let maxLength = Duration.nanoseconds(Int64.max - 1)
    static let century = Duration.seconds(36_599 * 86_400)

    @Test(arguments: [.nanoseconds(Int64.max), .seconds(Int64.max), maxLength + .nanoseconds(1)])
    func `A timer that would fire after the end of time is refused with an error`(length: Duration) {
        let watch = Stopwatch()
        let error = TimerError.beyondTime(timer: "it", left: length, end: .nanoseconds(Int64.max))
        #expect(throws: error) { try watch.countdown("it", length) }
        #expect(throws: error) { try watch.pendulum("it", every: length) }
        #expect(watch.keeper.armedCount == 0)
    }

    @Test func `Extending a timer beyond the end of time is refused and changes nothing`() throws {
        let watch = Stopwatch()
        let (running, paused) = (try watch.countdown("a", .seconds(30)), try watch.countdown("b", .seconds(30)))
        paused.pause()
        for timer in [running, paused] {
            for _ in 1...2 { try timer.extend(by: Self.century) }
            let left = timer.remaining
            for more in [Self.century, .nanoseconds(Int64.max)] {
                let (asked, end) = (try #require(left) + more, Self.maxLength + .nanoseconds(1))
                #expect(throws: TimerError.beyondTime(timer: timer.plan.name, left: asked, end: end)) {
                    try timer.extend(by: more)
                }
            }
            #expect(throws: TimerError.self) { try timer.extend(by: .seconds(Int64.max) * 18) }
            #expect(timer.remaining == left)
        }
        let sentence = TimerError.beyondTime(timer: "a", left: .seconds(2), end: .seconds(1)).description
        #expect(sentence == "the timer 'a' cannot have 2s left: time ends in 1s")
    }

    @Test func `The error for an extension beyond the end of time has the sum that was asked for`() throws {
        let watch = Stopwatch()
        let timer = try watch.countdown("ten", .seconds(10))
        for _ in 1...2 { try timer.extend(by: .seconds(36_500 * 86_400)) }
        let error = #expect(throws: TimerError.self) { try timer.extend(by: .seconds(36_500 * 86_400)) }
        let sentence = "the timer 'ten' cannot have 109500d10s left: time ends in 106751d23h47m16.854775807s"
        #expect(error?.description == sentence)
    }

    @Test func `A clock stops at the last instant`() {
        let watch = Stopwatch()
        for _ in 1...5 { watch.advance(Self.century) }
        #expect(watch.keeper.now == .last)
        watch.clock.move(to: .never)
        watch.keeper.beginTurn()
        #expect(watch.keeper.now == .last && watch.keeper.nextWake == nil)
    }

    @Test func `Timers armed at the last instants fire at or before the end of time, or never`() throws {
        let watch = Stopwatch()
        watch.advance(Self.maxLength - .nanoseconds(70))
        let timers = try (0...70).map { try watch.countdown("\($0)", .nanoseconds($0)) }
        let again = timers[40].again()
        #expect(throws: TimerError.self) { try watch.countdown("71", .nanoseconds(71)) }
        #expect(watch.advance(.seconds(1)) == 72)
        let late = again.again()
        #expect(watch.advance(.seconds(1)) == 0, "it lies beyond the end, and is not due at once")
        withExtendedLifetime((timers, late)) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func `A pendulum does not swing after the end of time, even if it is resumed there`() throws {
        let watch = Stopwatch()
        watch.advance(Self.maxLength - .seconds(10))
        let pendulum = try watch.pendulum("tick", every: .seconds(3))
        #expect(watch.advance(.seconds(60)) == 3)
        #expect(watch.advance(.seconds(60)) == 0)
        watch.flow.freeze()
        watch.flow.resume()
        #expect(watch.advance(.seconds(60)) == 0)
        pendulum.pause()
        pendulum.resume()
        #expect(watch.advance(.seconds(60)) == 0)
    }

    @Test func `A paused timer with more remaining time than time itself fails the check and never fires`() throws {
        let watch = Stopwatch()
        let countdown = try watch.countdown("it", Self.century)
        countdown.pause()
        watch.advance(Self.century + Self.century)
        #expect(throws: TimerError.self) { try countdown.checkThatItCanRun() }
        countdown.resume()
        #expect(watch.advance(.seconds(Int64.max)) == 0)
    }

    @Test(arguments: [Int64.min, .min + 1, -1, .max])
    func `A timer restored with an absurd remaining time is overdue or never fires`(left: Int64) {
        let watch = Stopwatch()
        watch.advance(.seconds(5))
        let timer = Countdown(.countdown("it", .seconds(1)), on: watch.flow, remaining: .nanoseconds(left), isPaused: false)
        #expect(watch.advance(.zero) == (left < 0 ? 1 : 0))
        withExtendedLifetime(timer) {}
    }

    @Test func `A lateness of more than a century is counted`() {
        let watch = Stopwatch()
        watch.advance(.seconds(Int64.max))
        let timer = Countdown(
            .countdown("it", .seconds(1)), on: watch.flow, remaining: .nanoseconds(Int64.min), isPaused: false)
        #expect(watch.advance(.zero) == 1)
        #expect(watch.keeper.lateness.maximum > Self.century)
        withExtendedLifetime(timer) {}
    }
}

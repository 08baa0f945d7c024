import Testing

@testable import Timers

@Suite struct `The lateness of timers` {
    @Test func `A percentile of lateness is at most a quarter above the exact value`() {
        var lateness = LatenessHistogram()
        for microseconds in 1...1_000 { lateness.count(Int64(microseconds) * 1_000) }
        #expect(lateness.total == 1_000)
        #expect(lateness.maximum == .milliseconds(1))
        #expect(lateness.percentile(50) >= .microseconds(500) && lateness.percentile(50) < .microseconds(625))
        #expect(lateness.percentile(99) >= .microseconds(990) && lateness.percentile(99) <= .milliseconds(1))
        #expect(lateness.percentile(100) == .milliseconds(1))
    }

    @Test func `A percentile of lateness is zero if none was counted, and never negative`() {
        var lateness = LatenessHistogram()
        #expect(lateness.percentile(99) == .zero)
        lateness.count(-5)
        #expect(lateness.percentile(99) == .zero)
        #expect(lateness.total == 1)
    }

    @Test func `A lateness of any length is counted, and percentiles never decrease`() {
        var lateness = LatenessHistogram()
        for shift in 0..<63 { lateness.count(1 << Int64(shift)) }
        lateness.count(.max)
        #expect(lateness.total == 64)
        #expect(lateness.percentile(100) == .nanoseconds(Int64.max))
        for percent in stride(from: 1.0, through: 99, by: 1) {
            #expect(lateness.percentile(percent) <= lateness.percentile(percent + 1))
        }
    }

    @Test func `The lateness of each timer is counted when it fires`() throws {
        let clock = VirtualClock()
        let keeper = Timekeeper(clock)
        let host = TimerHost(on: keeper)
        let timers = [
            try Countdown(.countdown("a", .seconds(1)), on: host.clock),
            try Countdown(.countdown("b", .seconds(2)), on: host.clock),
        ]
        clock.move(to: keeper.now.advanced(by: .seconds(2)))
        keeper.beginTurn()
        keeper.fireDue()
        #expect(keeper.lateness.total == 2)
        #expect(keeper.lateness.maximum == .seconds(1))
        withExtendedLifetime(timers) {}
    }

    // MARK: Sessions that are restored

    /// Time passes in turns in which no timer fires.
    private final class Restoring {
        let clock = VirtualClock()
        let keeper: Timekeeper
        let host: TimerHost
        private var timers: [StateTimer] = []

        init() {
            keeper = Timekeeper(clock)
            host = TimerHost(on: keeper)
            // The clock began before all downtimes.
            pass(.seconds(10_000))
        }

        func pass(_ length: Duration) {
            clock.move(to: keeper.now.advanced(by: length))
            keeper.beginTurn()
        }

        /// A timer with this remaining time, which may be negative.
        func restore(_ remaining: Duration) {
            timers.append(Countdown(.countdown("t", .seconds(1)), on: host.clock, remaining: remaining, isPaused: false))
        }

        /// How late the timers that are due now were at most, and how many there were.
        func fire() -> (count: UInt64, late: Duration) {
            keeper.forgetLateness()
            keeper.fireDue()
            return (UInt64(keeper.lateness.total), keeper.lateness.maximum)
        }
    }

    @Test
    func `A timer that was due in the downtime of its session is late from the service on, and others from their deadline`() {
        let it = Restoring()
        it.pass(.seconds(10))
        let downtime = it.keeper.endOfDowntime
        it.restore(.seconds(-9))
        it.restore(.seconds(1))
        it.keeper.serviceDidBegin(after: downtime)
        it.pass(.milliseconds(20))
        #expect(it.fire() == (1, .milliseconds(20)))
        it.pass(.seconds(3))
        #expect(it.fire() == (1, .seconds(2) + .milliseconds(20)))
    }

    @Test(arguments: [5, -5])
    func `Timers of running sessions that wait while others are restored have their real lateness`(remaining: Int) {
        let it = Restoring()
        it.restore(.seconds(remaining))
        it.pass(.seconds(4))
        let downtime = it.keeper.endOfDowntime
        it.restore(.seconds(-3_600))
        it.pass(.seconds(6))
        it.keeper.serviceDidBegin(after: downtime)
        #expect(it.fire() == (2, .seconds(remaining > 0 ? 5 : 15)))
    }

    @Test func `Restored timers that wait while further sessions are restored are late from their own service on`() {
        let it = Restoring()
        it.pass(.seconds(10))
        for seconds in [1, 2] {
            let downtime = it.keeper.endOfDowntime
            it.restore(.seconds(-3_600))
            it.pass(.seconds(seconds))
            it.keeper.serviceDidBegin(after: downtime)
        }
        #expect(it.fire() == (2, .seconds(2)))
    }
}

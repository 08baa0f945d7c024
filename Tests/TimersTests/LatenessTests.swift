import Testing

@testable import Timers

@Suite struct `The lateness of timers` {
    @Test func `A percentile of lateness is at most a quarter above the exact value`() {
        var lateness = LatenessHistogram()
        for microseconds in 1...1_000 { lateness.count(Int64(microseconds) * 1_000) }
        #expect(lateness.total == 1_000)
        #expect(lateness.maxCount == .milliseconds(1))
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
        #expect(keeper.lateness.maxCount == .seconds(1))
        withExtendedLifetime(timers) {}
    }

    @Test func `Time before the service began is not lateness, for timers that were due then`() throws {
        let clock = VirtualClock()
        let keeper = Timekeeper(clock)
        let host = TimerHost(on: keeper)
        let timers = try ["a", "b"].map { try Countdown(.countdown($0, .seconds($0 == "a" ? 1 : 11)), on: host.clock) }
        clock.move(to: keeper.now.advanced(by: .seconds(10)))
        keeper.beginTurn()
        keeper.serviceDidBegin()
        clock.move(to: keeper.now.advanced(by: .milliseconds(20)))
        keeper.beginTurn()
        keeper.fireDue()
        #expect(keeper.lateness.total == 1 && keeper.lateness.maxCount == .milliseconds(20))
        clock.move(to: keeper.now.advanced(by: .seconds(3)))
        keeper.beginTurn()
        keeper.fireDue()
        #expect(keeper.lateness.total == 2 && keeper.lateness.maxCount == .seconds(2) + .milliseconds(20))
        withExtendedLifetime(timers) {}
    }
}

// Clocks and timers that outlive their session or timekeeper: they stop, or trap with an error message.

import Testing
import Timers

@Suite struct `A clock that outlives its session` {
    /// The clock of a session that has ended.
    static func staleClock() -> FlowClock {
        TimerHost(on: Timekeeper(VirtualClock())).clock
    }

    @Test func `A clock reports whether its session is alive`() {
        let watch = Stopwatch()
        #expect(watch.flow.isAlive)
        #expect(!Self.staleClock().isAlive)
    }

    @Test func `The clock of an ended session does not refer to a later session`() {
        let keeper = Timekeeper(VirtualClock())
        var stale: [FlowClock] = []
        for _ in 1...100 {
            let hosts = (1...20).map { _ in TimerHost(on: keeper) }
            stale += hosts.map(\.clock)
            #expect(hosts.allSatisfy { $0.clock.isAlive && $0.clock.timers.isEmpty })
        }
        #expect(stale.allSatisfy { !$0.isAlive })
    }

    @Test func `The time of a session that has ended cannot be read`() async {
        await expectSentence(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = `A clock that outlives its session`.staleClock().now
            })
    }

    @Test func `A session that has ended cannot be frozen`() async {
        await expectSentence(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                `A clock that outlives its session`.staleClock().freeze()
            })
    }

    @Test func `No timer starts on the clock of a session that has ended`() async {
        await expectSentence(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try Countdown(.countdown("late", .seconds(1)), on: `A clock that outlives its session`.staleClock())
            })
    }

    private func expectSentence(_ result: ExitTest.Result?) async {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a flow's clock was used after its session had ended"), "\(text)")
    }

    @Test func `A countdown of a session that has ended cannot be restarted`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var host: TimerHost? = TimerHost(on: Timekeeper(VirtualClock()))
            let countdown = try host.map { try Countdown(.countdown("tea", .seconds(1)), on: $0.clock) }
            host = nil
            _ = countdown?.again()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("the countdown 'tea' cannot begin again"), "\(text)")
    }

    @Test func `Timers that outlive their session and timekeeper do nothing`() throws {
        var watch: Stopwatch? = Stopwatch()
        let countdown = try #require(watch).countdown("countdown", .seconds(1))
        let pendulum = try #require(watch).pendulum("pendulum", every: .seconds(1))
        weak let keeper = watch?.keeper
        watch = nil
        #expect(keeper == nil, "timers do not retain the timekeeper")
        for timer in [countdown, pendulum] {
            timer.pause()
            timer.resume()
            #expect(timer.remaining == nil && timer.deadline == nil && timer.id == nil && timer.generation == 0)
            #expect(throws: TimerError.finished(timer: timer.plan.name)) { try timer.extend(by: .seconds(1)) }
        }
    }

    @Test func `A session retains its timekeeper`() throws {
        let clock = VirtualClock()
        let host = RecordingHost(on: Timekeeper(clock))
        let countdown = try Countdown(.countdown("it", .seconds(1)), on: host.clock)
        host.timekeeper.advance(clock, by: .seconds(1))
        #expect(host.log == ["1s it"])
        withExtendedLifetime(countdown) {}
    }

    @Test func `The id of a dropped timer does not refer to another timer`() throws {
        let watch = Stopwatch()
        let id = try #require(watch.countdown("gone", .seconds(1)).id)
        let next = try watch.countdown("next", .seconds(1))
        #expect(!watch.keeper.isAlive(id))
        #expect(next.id.map(watch.keeper.isAlive) == true)
    }

    @Test func `A stopped timer is removed from the wheel and from its session`() throws {
        let watch = Stopwatch()
        let timers = try (1...3).map { try watch.countdown("\($0)", .seconds($0)) }
        timers[1].stop()
        #expect(watch.flow.timers.map(\.plan.name) == ["1", "3"])
        watch.advance(.seconds(9))
        #expect(watch.log == ["1s 1", "3s 3"])
        #expect(timers[1].remaining == nil)
    }
}

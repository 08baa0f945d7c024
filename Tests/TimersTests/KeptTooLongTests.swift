// What is kept longer than the session or the timekeeper that it belongs to: it stops, or traps with a sentence.

import Testing
import Timers

@Suite struct `What is kept too long` {
    /// The clock of a session that has ended.
    static func staleClock() -> FlowClock {
        TimerHost(on: Timekeeper(VirtualClock())).clock
    }

    @Test func `a clock says whether its session is there`() {
        let watch = Stopwatch()
        #expect(watch.flow.isAlive)
        #expect(!Self.staleClock().isAlive)
    }

    @Test func `a clock does not take another session for its own, however many come after it`() {
        let keeper = Timekeeper(VirtualClock())
        var stale: [FlowClock] = []
        for _ in 1...100 {
            let hosts = (1...20).map { _ in TimerHost(on: keeper) }
            stale += hosts.map(\.clock)
            #expect(hosts.allSatisfy { $0.clock.isAlive && $0.clock.timers.isEmpty })
        }
        #expect(stale.allSatisfy { !$0.isAlive })
    }

    @Test func `the time of a session that has ended cannot be read`() async {
        await expectSentence(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = `What is kept too long`.staleClock().now
            })
    }

    @Test func `a session that has ended cannot be frozen`() async {
        await expectSentence(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                `What is kept too long`.staleClock().freeze()
            })
    }

    @Test func `no timer starts on the clock of a session that has ended`() async {
        await expectSentence(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try Countdown(.countdown("late", .seconds(1)), on: `What is kept too long`.staleClock())
            })
    }

    private func expectSentence(_ result: ExitTest.Result?) async {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a flow's clock was used after its session had ended"), "\(text)")
    }

    @Test func `a countdown of a session that has ended cannot begin again`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var host: TimerHost? = TimerHost(on: Timekeeper(VirtualClock()))
            let countdown = try host.map { try Countdown(.countdown("tea", .seconds(1)), on: $0.clock) }
            host = nil
            _ = countdown?.again()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("the countdown 'tea' cannot begin again"), "\(text)")
    }

    @Test func `timers outlive session, timekeeper and time, and do nothing`() throws {
        var watch: Stopwatch? = Stopwatch()
        let countdown = try #require(watch).countdown("countdown", .seconds(1))
        let pendulum = try #require(watch).pendulum("pendulum", every: .seconds(1))
        weak let keeper = watch?.keeper
        watch = nil
        #expect(keeper == nil, "timers hold no timekeeper")
        for timer in [countdown, pendulum] {
            timer.pause()
            timer.resume()
            #expect(timer.remaining == nil && timer.deadline == nil && timer.id == nil && timer.generation == 0)
            #expect(throws: TimerError.finished(timer: timer.plan.name)) { try timer.extend(by: .seconds(1)) }
        }
    }

    @Test func `a session keeps its timekeeper`() throws {
        let clock = VirtualClock()
        let host = RecordingHost(on: Timekeeper(clock))
        let countdown = try Countdown(.countdown("it", .seconds(1)), on: host.clock)
        host.timekeeper.advance(clock, by: .seconds(1))
        #expect(host.log == ["1s it"])
        withExtendedLifetime(countdown) {}
    }

    @Test func `the name of a timer that is gone is not another timer's`() throws {
        let watch = Stopwatch()
        let id = try #require(watch.countdown("gone", .seconds(1)).id)
        let next = try watch.countdown("next", .seconds(1))
        #expect(!watch.keeper.isAlive(id))
        #expect(next.id.map(watch.keeper.isAlive) == true)
    }

    @Test func `a timer that is stopped is out of the wheel and out of its session`() throws {
        let watch = Stopwatch()
        let timers = try (1...3).map { try watch.countdown("\($0)", .seconds($0)) }
        watch.host.stop(timers[1])
        #expect(watch.flow.timers.map(\.plan.name) == ["1", "3"])
        watch.advance(.seconds(9))
        #expect(watch.log == ["1s 1", "3s 3"])
        #expect(timers[1].remaining == nil)
    }
}

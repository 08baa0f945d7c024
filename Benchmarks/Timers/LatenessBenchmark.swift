// How late timers are on a live loop at 10,000 firings a second, beside the least that the machine allows: a bare timerfd.

import CLinux
import Commands
import EventLoop
import GameDaemon
import Glibc
import Timers

private let firings = 30_000
private let interval = Duration.microseconds(100)

func benchmarkLateness(_ report: Report) throws {
    report.section("Lateness of 10,000 firings a second, for three seconds each")
    let bare = bareTimer()
    let ours = try LatenessProbe().run()
    let again = bareTimer()
    let early = ours.filter { $0 < 0 }.count
    let theirs = bare + again
    report.add("p50", unit: "us", ["gamed": ours.percentile(0.5), "timerfd": theirs.percentile(0.5)])
    report.add(
        "p99", unit: "us", ["gamed": ours.percentile(0.99), "timerfd": theirs.percentile(0.99)],
        target: .init(text: "at most 1000 us", reached: ours.percentile(0.99) <= 1_000))
    report.add("max", unit: "us", ["gamed": ours.max() ?? 0, "timerfd": theirs.max() ?? 0])
    report.add(
        "firings that were early", unit: "count", ["gamed": Double(early)],
        target: .init(text: "none", reached: early == 0))
}

/// A thousand pendulums, a tenth of a millisecond apart: each swing notes how late it is.
private final class LatenessProbe: TimerHost {
    private let loop: Loop
    private var pendulums: [Pendulum] = []
    private var lateness: [Double] = []

    init() throws {
        loop = try Loop()
        super.init(on: loop.timekeeper)
    }

    func run() throws -> [Double] {
        timekeeper.beginTurn()
        let plan = TimerPlan.pendulum("probe", every: interval * 1_000)
        for index in 1...1_000 {
            pendulums.append(try Pendulum(plan, on: clock, remaining: interval * index, isPaused: false))
        }
        try loop.run()
        return lateness
    }

    override func timerFired(_ firing: Firing) {
        lateness.append(microseconds(firing.deadline.duration(to: timekeeper.source.now)))
        if lateness.count >= firings { loop.stop() }
    }
}

private func microseconds(_ duration: Duration) -> Double {
    Double(duration.wholeNanoseconds) / 1_000
}

/// Sleeps until each deadline with nothing in between.
private func bareTimer() -> [Double] {
    let clock = SystemClock()
    let descriptor = timerfd_create(CLOCK_MONOTONIC, 0)
    defer { close(descriptor) }
    var lateness: [Double] = []
    var deadline = clock.now.advanced(by: interval)
    while lateness.count < firings / 2 {
        var setting = itimerspec()
        setting.it_value = timespec(
            tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil)
        var expirations: UInt64 = 0
        _ = read(descriptor, &expirations, 8)
        lateness.append(microseconds(deadline.duration(to: clock.now)))
        deadline = deadline.advanced(by: interval)
    }
    return lateness
}

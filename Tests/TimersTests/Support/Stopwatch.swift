// A virtual clock, a host that records firings, and helpers to start timers on it.

@testable import Timers

/// Records every firing as "time name", and calls the test's closure.
final class RecordingHost: TimerHost {
    private(set) var log: [String] = []
    var onFired: (Firing) -> Void = { _ in }
    /// The text of a firing, after the time.
    var name: (Firing) -> String = { $0.timer.plan.name }

    override func timerFired(_ firing: Firing) {
        let missed = firing.missed == 0 ? "" : " missed \(firing.missed)"
        log.append("\(seconds(timekeeper.now)) \(name(firing))\(missed)")
        onFired(firing)
    }
}

/// A session in virtual time, with timers and without a flow.
struct Stopwatch {
    let clock = VirtualClock()
    let keeper: Timekeeper
    let host: RecordingHost

    init() {
        keeper = Timekeeper(clock)
        host = RecordingHost(on: keeper)
    }

    var log: [String] { host.log }
    var flow: FlowClock { host.clock }

    func countdown(_ name: String, _ length: Duration) throws -> Countdown {
        try Countdown(.countdown(name, length), on: flow)
    }

    func pendulum(_ name: String, every period: Duration) throws -> Pendulum {
        try Pendulum(.pendulum(name, every: period), on: flow)
    }

    @discardableResult
    func advance(_ duration: Duration) -> Int {
        keeper.advance(clock, by: duration)
    }

    /// Simulates a stalled loop: the clock advances first, and then one turn begins.
    func stall(_ duration: Duration) {
        clock.move(to: clock.now.advanced(by: duration))
        keeper.beginTurn()
        keeper.fireDue()
    }
}

/// An instant as people write it: `1.5s`.
func seconds(_ instant: Instant) -> String { Duration.decimal(UInt64(instant.nanoseconds), unit: 1_000_000_000) + "s" }

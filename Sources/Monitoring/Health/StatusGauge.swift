// The daemon's statistics for people who watch: events a second, and the recent lateness of timers.

import Commands
import GameFlow
import Posix
import Sessions

package struct StatusStatistics {
    package var sessions = 0
    package var aside = 0
    package var eventsPerSecond = 0.0
    /// Of those.
    package var refusedPerSecond = 0.0
    /// Over the last seconds, as are the two that follow.
    package var latenessP99 = Duration.zero
    package var latenessMost = Duration.zero
    package var turnMost = Duration.zero
    /// Nil where nothing is kept on disk.
    package var journal: JournalStatistics?
    package var connections = 0
    package var memoryBytes = 0
    package var uptime = Duration.zero
    /// Why sessions cannot be changed; nil if they can.
    package var unavailability: String?

    package init() {}
}

/// Reads the statistics repeatedly, and remembers those of the last seconds. One object serves all watchers.
package final class StatusGauge {
    private struct Sample {
        let at: Instant
        let events: Int
        let refused: Int
        let lateness: LatenessHistogram
    }

    /// Lateness is computed from this many samples, with at most one in each `step`.
    private static let kept = 5
    private static let step = Duration.milliseconds(900)
    /// After such a pause the statistics restart.
    private static let pause = Duration.seconds(10)

    private unowned let host: Host
    private let clock: any TimeSource
    /// The oldest first.
    private var samples: [Sample] = []
    private var rates = (events: 0.0, refused: 0.0)

    /// Rates are by real time, also where flows run on virtual time.
    package init(of host: Host, clock: any TimeSource = SystemClock()) {
        (self.host, self.clock) = (host, clock)
    }

    /// The statistics as of now. They should be read about once a second, by any number of readers.
    package func read() -> StatusStatistics {
        takeSample()
        var statistics = StatusStatistics()
        (statistics.sessions, statistics.aside) = (host.sessions.count, host.sessions.setAsideSessions.count)
        (statistics.eventsPerSecond, statistics.refusedPerSecond) = rates
        let late = host.timekeeper.lateness.since(samples.first?.lateness)
        (statistics.latenessP99, statistics.latenessMost) = (late.percentile(99), late.percentile(100))
        statistics.turnMost = host.turns?.recentLongestTurn ?? .zero
        statistics.journal = host.persistence?.statistics
        let clients = host.clients?.statistics
        statistics.connections = (clients?.unix ?? 0) + (clients?.tcp ?? 0)
        statistics.memoryBytes = Heap.resident
        statistics.uptime = host.uptime
        statistics.unavailability = host.unavailability?.sentence
        return statistics
    }

    private func takeSample() {
        let now = clock.now
        if let last = samples.last, last.at.duration(to: now) > Self.pause { samples = [] }
        if let last = samples.last, last.at.duration(to: now) < Self.step { return }
        let refused = host.sessions.count(of: .refused)
        let sample = Sample(
            at: now, events: refused + host.sessions.count(of: .taken) + host.sessions.count(of: .ignored), refused: refused,
            lateness: host.timekeeper.lateness)
        rates = samples.last.map { Self.rates(from: $0, to: sample) } ?? (0, 0)
        samples.append(sample)
        if samples.count > Self.kept { samples.removeFirst() }
    }

    private static func rates(from old: Sample, to new: Sample) -> (events: Double, refused: Double) {
        let seconds = Double(old.at.duration(to: new.at).wholeNanoseconds) / 1e9
        return (Double(max(0, new.events - old.events)) / seconds, Double(max(0, new.refused - old.refused)) / seconds)
    }
}

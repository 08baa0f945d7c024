// The daemon's statistics for people who watch: events a second, and the recent lateness of timers.

import Commands
import GameFlow
import Posix
import Sessions

/// The statistics as members of a JSON object.
package struct StatusStatistics {
    /// Of all sessions.
    package var counts: [JSON.Member] = []
    package var others: [JSON.Member] = []

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
        let late = host.timekeeper.lateness.since(samples.first?.lateness)
        let clients = host.clients?.statistics
        var statistics = StatusStatistics()
        statistics.counts = [
            .init("sessions", .integer(host.sessions.count)), .init("aside", .integer(host.sessions.setAsideSessions.count)),
        ]
        statistics.others = [
            .init("events_per_s", rounded(rates.events)), .init("refused_per_s", rounded(rates.refused)),
            // These three cover the last seconds.
            .init("lateness_p99_ms", milliseconds(late.percentile(99))),
            .init("lateness_max_ms", milliseconds(late.percentile(100))),
            .init("turn_max_ms", milliseconds(host.turns?.recentLongestTurn ?? .zero)),
            .init("journal", journal), .init("connections", .integer((clients?.unix ?? 0) + (clients?.tcp ?? 0))),
            .init("memory_bytes", .integer(Heap.resident)),
            .init("uptime_s", .integer(Int(host.uptime.components.seconds))),
            // Why sessions cannot be changed.
            .init("trouble", (host.unavailability?.sentence).map { .string($0) } ?? .null),
        ]
        return statistics
    }

    private var journal: JSON {
        guard let journal = host.persistence?.statistics else {
            return ["durability": "none", "status": "none", "failure": .null, "backlog_bytes": 0]
        }
        return [
            "durability": .string(journal.durability), "status": journal.failure == nil ? "ok" : "failing",
            "failure": journal.failure.map { .string($0) } ?? .null, "backlog_bytes": .integer(journal.backlogBytes),
        ]
    }

    private func rounded(_ value: Double) -> JSON { .number((value * 10).rounded() / 10) }

    private func milliseconds(_ duration: Duration) -> JSON { .number(Double(duration.wholeNanoseconds / 1_000) / 1_000) }

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

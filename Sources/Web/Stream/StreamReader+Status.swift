// The status of the daemon, as streams tell it.

import Commands
import GameFlow
import Monitoring
import RESP
import Sessions

extension StreamReader {
    var statusText: String {
        if isNode { return statusText(of: scope, isBrief: true) }
        if let scope { return statusText(of: scope) }
        return streams.statusText { statusText(of: nil) }
    }

    /// Devices may belong to any session.
    private func statusText(of scope: SessionScope?, isBrief: Bool = false) -> String {
        let next = NextReply(firings: host.sessions.nextFirings(8, of: scope))
        let members: [JSON.Member] = [
            .init("streams", .integer(streams.readerCount)), .init("next", next.json),
            .init("devices", .array(scope == nil ? host.devices.reports.map(\.webJSON) : [])),
            .init("clock_ms", .integer(Int(host.timekeeper.now.nanoseconds / 1_000_000))),
        ]
        let cluster = host.cluster.map { cluster -> [JSON.Member] in
            [.init("node", .string(cluster.name)), .init("cluster", cluster.json(isBrief: isBrief))]
        }
        // A client with some sessions has their rows. To count them here, all sessions would be looked at each second.
        let counts = scope == nil ? streams.statistics.counts : []
        return JSON.object(counts + streams.statistics.members + members + (cluster ?? [])).description
    }
}

extension StatusStatistics {
    /// Of all sessions.
    fileprivate var counts: [JSON.Member] {
        [.init("sessions", .integer(sessions)), .init("aside", .integer(aside))]
    }

    fileprivate var members: [JSON.Member] {
        [
            .init("events_per_s", .number(rounded(eventsPerSecond))),
            .init("refused_per_s", .number(rounded(refusedPerSecond))),
            .init("lateness_p99_ms", .number(milliseconds(latenessP99))),
            .init("lateness_max_ms", .number(milliseconds(latenessMost))),
            .init("turn_max_ms", .number(milliseconds(turnMost))),
            .init("journal", journalJSON), .init("connections", .integer(connections)),
            .init("memory_bytes", .integer(memoryBytes)),
            .init("uptime_s", .integer(Int(uptime.components.seconds))),
            .init("trouble", unavailability.map { .string($0) } ?? .null),
        ]
    }

    private var journalJSON: JSON {
        guard let journal else {
            return ["durability": "none", "status": "none", "failure": .null, "backlog_bytes": 0]
        }
        return [
            "durability": .string(journal.durability), "status": journal.failure == nil ? "ok" : "failing",
            "failure": journal.failure.map { .string($0) } ?? .null, "backlog_bytes": .integer(journal.backlogBytes),
        ]
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    private func milliseconds(_ duration: Duration) -> Double { Double(duration.wholeNanoseconds / 1_000) / 1_000 }
}

// INFO: the daemon's figures.

import GameFlow
import Glibc
import Posix
import RESP
import Sessions

extension Command {
    package static let info = Command(
        name: "INFO", group: .service, needs: .reads(.nothing),
        summary: "Shows statistics: server, clients, sessions, time, persistence, memory, limits, cluster.",
        details: """
            `addresses` lists the addresses it listens at. Clients are `unix` or `tcp`; `strangers` have not authenticated \
            yet. `used_memory` is memory that the daemon has allocated; once the heap has more than 10,000 free blocks, as \
            of the last trim, plus the change of `reserved_memory` since. `reserved_memory` is memory that the system has \
            assigned to it. Some seconds after a burst, an idle daemon trims the heap: free memory returns to the system. \
            `client_memory` is held for all clients together; above the limit `client-bytes`, gamed disconnects the client \
            that holds most (`cut_off_for_memory`). `journal_status` is `ok` or `failing`; while it fails, changes are \
            refused, and `journal_failure` is the reason. `backup_status` is that of the last backup: none, running, done or \
            failed; `backup_error` is the reason of a failure. `clocks_stopped` counts sessions whose clock the daemon has \
            stopped; SESSIONS 0 STATE !stopped lists them. `cluster_failure` is the reason why a node serves no sessions.
            """,
        examples: ["INFO", "INFO clients memory"],
        Form(InfoRequest.self))
}

package struct InfoRequest: PromptRequest {
    let wanted: [String]

    /// All sections, in lower case. INFO ignores other words, as Redis does.
    package static let sectionNames = sections.map { $0.title.lowercased() }

    package init(sections: [String]) { wanted = sections }

    package static let form = CommandForm(.several("section", .text, atLeast: 0, atMost: 31)) { InfoRequest(sections: $0) }
    package static var command: Command { .info }

    package func run(_ call: Call) throws(CommandError) -> InfoReply {
        let wanted = wanted.map { $0.lowercased() }
        let isAll = wanted.isEmpty || wanted.contains { ["all", "default", "everything"].contains($0) }
        let sections = Self.sections.filter { isAll || wanted.contains($0.title.lowercased()) }
        return InfoReply(sections: sections.map { ($0.title, $0.fields(call.host)) })
    }

    private static var sections: [(title: String, fields: (Host) -> [(String, String)])] {
        [
            ("Server", server), ("Clients", clients), ("Sessions", sessions), ("Time", time), ("Persistence", persistence),
            ("Memory", memory), ("Limits", limits), ("Cluster", cluster),
        ]
    }

    private static func server(_ host: Host) -> [(String, String)] {
        [
            ("gamed_version", gamedVersion), ("redis_mode", host.cluster == nil ? "standalone" : "cluster"),
            ("process_id", "\(getpid())"),
            ("addresses", host.addresses.joined(separator: ", ").printable),
            ("time", host.virtualClock == nil ? "system" : "virtual"),
            ("uptime_in_seconds", "\(host.uptime.components.seconds)"), ("turns", "\(host.turns?.turns ?? 0)"),
            ("total_commands_processed", "\(host.requestCount)"), ("log_lines_lost", "\(host.log.lost)"),
        ]
    }

    private static func clients(_ host: Host) -> [(String, String)] {
        (host.clients?.report ?? []) + [("wrong_tokens", "\(host.access.wrongTokens)")]
    }

    private static func persistence(_ host: Host) -> [(String, String)] {
        let health = host.persistence?.health(isLoading: host.isLoading) ?? [("durability", "none"), ("journal_status", "ok")]
        guard let cluster = host.cluster else { return health }
        let failure = cluster.failure ?? (host.isLoading ? host.unavailability?.sentence : nil)
        return health + [("cluster_failure", failure ?? "")]
    }

    /// Counters start at 0 when the daemon starts.
    private static func sessions(_ host: Host) -> [(String, String)] {
        let counts = HistoryEntry.Kind.allCases.map { what in
            ((what.command == nil ? "events_" : "sessions_") + what.name, "\(host.sessions.count(of: what))")
        }
        return [
            ("sessions", "\(host.sessions.count)"), ("armed_timers", "\(host.timekeeper.armedCount)"),
            ("clocks_stopped", "\(host.timekeeper.haltedCount)"),
        ] + counts + [
            ("messages_sent", "\(host.sessions.messages.sent)"), ("messages_failed", "\(host.sessions.messages.failed)"),
        ]
    }

    /// Since the start, or since CONFIG RESETSTAT; the longest turn is that of the last five seconds.
    private static func time(_ host: Host) -> [(String, String)] {
        let (lateness, before) = (host.timekeeper.lateness, host.timersBeforeReset)
        let microseconds = { (duration: Duration) in "\(duration.wholeNanoseconds / 1_000)" }
        return [
            ("timers_fired", "\(lateness.total)"), ("lateness_p50_us", microseconds(lateness.percentile(50))),
            ("lateness_p99_us", microseconds(lateness.percentile(99))),
            ("lateness_max_us", microseconds(lateness.maximum)),
            ("timers_armed", "\(host.timekeeper.armings - before.armed)"),
            ("timers_cancelled", "\(host.timekeeper.cancellations - before.cancelled)"),
            ("turn_recent_max_us", microseconds(host.turns?.recentLongestTurn ?? .zero)),
        ]
    }

    private static func memory(_ host: Host) -> [(String, String)] {
        [
            ("used_memory", "\(Heap.used)"), ("reserved_memory", "\(Heap.resident)"),
            ("client_memory", "\(host.clients?.statistics.bytes ?? 0)"),
            ("client_memory_limit", "\(host.limits.clientBytes)"),
        ]
    }

    private static func cluster(_ host: Host) -> [(String, String)] {
        guard let member = host.cluster else { return [("cluster_enabled", "0")] }
        let (peers, report) = (member.peers, member.report)
        return [
            ("cluster_enabled", "1"), ("cluster_state", member.failure == nil ? "ok" : "fail"),
            ("cluster_failure", member.failure ?? ""), ("cluster_known_nodes", "\(peers.count)"),
            ("cluster_shards", "\(report.shards)"),
            ("cluster_my_shards", "\(peers.first(where: \.isMyself)?.shardCount ?? 0)"),
            ("cluster_my_shards_loading", "\(report.loading)"),
            ("cluster_unowned_shards", "\(report.unowned.reduce(0) { $0 + $1.count })"),
            ("cluster_lease_ms", report.leaseMilliseconds.map { "\($0)" } ?? ""),
        ]
    }

    private static func limits(_ host: Host) -> [(String, String)] {
        Limit.all.map { ("limit_" + $0.name.replacing("-", with: "_"), "\(host.limits[keyPath: $0.path])") }
    }
}

/// Sections of fields, which are lines for people.
package struct InfoReply: ReplyValue {
    package let sections: [(title: String, fields: [(String, String)])]

    package func write(to reply: ReplyBuffer) {
        let texts = sections.map { section in
            "# \(section.title)\r\n" + section.fields.map { "\($0):\($1)\r\n" }.joined()
        }
        reply.append(verbatim: texts.joined(separator: "\r\n"))
    }
}

extension Command {
    package static let page = Command(
        name: "PAGE", group: .service, needs: .administers,
        summary: "Prints a login link for the page. It works once.",
        details: """
            Requires a master. The link works once; the login lasts in that browser. A daemon started with --http-open \
            requires no login; one with --http none has no page.
            """,
        examples: ["PAGE"],
        Form { call throws(CommandError) in
            guard let page = call.host.page else {
                throw CommandError(.generic, "there is no page; the daemon's option --http HOST:PORT serves one")
            }
            return page.link
        })
}

// INFO: how the daemon is.

import Glibc
import RESP
import Timers

extension Command {
    static let info: Command = Command(
        name: "INFO", group: .service,
        syntax: "INFO [section …]",
        summary: "How the daemon is: server, clients, sessions, time, persistence, memory, limits.",
        details: """
            Clients are `unix` or `tcp`; strangers are those that have not said the token yet. Memory is what the daemon has \
            asked for and not given back, and what the system has given it for that; some seconds after a burst, what is free \
            goes back. `client_memory` is what all clients together have held; above its limit, `client-bytes`, the one of which \
            most is held is cut off (`cut_off_for_memory`). `journal_status` is `ok` or `failing`; while it \
            fails, nothing can be changed, and `journal_failure` says why.
            """,
        examples: ["INFO", "INFO clients memory"],
        words: 1...32
    ) { call throws(CommandError) in
        let wanted = (1..<call.count).map { call.text($0).lowercased() }
        let isAll = wanted.isEmpty || wanted.contains { ["all", "default", "everything"].contains($0) }
        let sections = sections(of: call.daemon).filter { isAll || wanted.contains($0.title.lowercased()) }
        let texts = sections.map { section in
            "# \(section.title)\r\n" + section.fields.map { "\($0):\($1)\r\n" }.joined()
        }
        call.reply.append(verbatim: texts.joined(separator: "\r\n"))
    }

    private typealias Section = (title: String, fields: [(String, String)])

    private static func sections(of daemon: Daemon) -> [Section] {
        [
            server(daemon), clients(daemon), sessions(daemon), time(daemon), ("Persistence", daemon.persistence),
            memory(daemon),
            limits(daemon),
        ]
    }

    private static func server(_ daemon: Daemon) -> Section {
        let uptime = daemon.began.duration(to: SystemClock().now)
        return (
            "Server",
            [
                ("gamed_version", gamedVersion), ("process_id", "\(getpid())"),
                ("time", daemon.virtualClock == nil ? "system" : "virtual"),
                ("uptime_in_seconds", "\(uptime.components.seconds)"), ("turns", "\(daemon.loop.turns)"),
                ("total_commands_processed", "\(daemon.requestCount)"), ("log_lines_lost", "\(daemon.log.lost)"),
            ]
        )
    }

    private static func clients(_ daemon: Daemon) -> Section {
        let connections = daemon.connections
        let overTcp = connections.count { $0.door == .tcp }
        return (
            "Clients",
            [
                ("connected_clients", "\(connections.count)"), ("unix_clients", "\(connections.count - overTcp)"),
                ("tcp_clients", "\(overTcp)"), ("strangers", "\(connections.strangerCount)"),
                ("subscribed_clients", "\(connections.count { $0.isSubscribed })"),
                ("total_connections_received", "\(connections.counts.accepted)"),
                ("rejected_connections", "\(connections.counts.refused)"), ("cut_off_clients", "\(connections.counts.cutOff)"),
                ("cut_off_for_memory", "\(connections.counts.cutOffForMemory)"),
                ("wrong_tokens", "\(daemon.access.wrongGuesses)"),
            ]
        )
    }

    private static func sessions(_ daemon: Daemon) -> Section {
        ("Sessions", [("sessions", "\(daemon.sessions.count)"), ("armed_timers", "\(daemon.timekeeper.armedCount)")])
    }

    /// Since the start, or since CONFIG RESETSTAT.
    private static func time(_ daemon: Daemon) -> Section {
        let lateness = daemon.timekeeper.lateness
        let microseconds = { (duration: Duration) in "\(duration.wholeNanoseconds / 1_000)" }
        return (
            "Time",
            [
                ("timers_fired", "\(lateness.total)"), ("lateness_p50_us", microseconds(lateness.percentile(50))),
                ("lateness_p99_us", microseconds(lateness.percentile(99))), ("lateness_max_us", microseconds(lateness.most)),
            ]
        )
    }

    private static func memory(_ daemon: Daemon) -> Section {
        (
            "Memory",
            [
                ("used_memory", "\(Heap.used)"), ("reserved_memory", "\(Heap.resident)"),
                ("client_memory", "\(daemon.connections.bytes)"), ("client_memory_limit", "\(daemon.limits.clientBytes)"),
            ]
        )
    }

    private static func limits(_ daemon: Daemon) -> Section {
        ("Limits", Limit.all.map { ("limit_" + $0.name.replacing("-", with: "_"), "\(daemon.limits[keyPath: $0.path])") })
    }
}

// Metrics of every daemon: clients, sessions, time, the journal, the process and flows.

import Commands
import GameFlow
import Posix
import Sessions

extension MetricsWriter {
    mutating func addClients(_ host: Host) {
        metric("gamed_requests_total", .counter, "Commands executed, over HTTP too.", host.requestCount)
        metric("gamed_subscriptions", .gauge, "Channels and patterns that clients are subscribed to.", host.subscriptions.count)
        metric("gamed_wrong_tokens_total", .counter, "Wrong tokens received.", host.access.wrongTokens)
        guard let clients = host.clients?.statistics else { return }
        let (unix, tcp) = (MetricLabel("transport", "unix"), MetricLabel("transport", "tcp"))
        family("gamed_connections", .gauge, "Open connections, by transport.")
        sample(clients.unix, unix)
        sample(clients.tcp, tcp)
        family("gamed_connections_accepted_total", .counter, "Connections accepted since the start, by transport.")
        sample(clients.acceptedUnix, unix)
        sample(clients.acceptedTcp, tcp)
        metric("gamed_connections_refused_total", .counter, "Connections that were refused.", clients.refused)
        metric(
            "gamed_connections_cut_off_total", .counter,
            "Connections closed because the client did not read, or its replies held too much memory.", clients.cutOff)
        metric("gamed_client_memory_bytes", .gauge, "Memory held for all clients together.", clients.bytes)
        guard let expiry = clients.certificateExpiry else { return }
        metric(
            "gamed_certificate_expiry_time_seconds", .gauge, "When the TLS certificate expires, in seconds since 1970.", expiry)
    }

    // MARK: Sessions

    mutating func addSessions(_ host: Host) {
        let (sessions, aside) = (host.sessions, host.sessions.setAsideSessions)
        metric(
            "gamed_up", .gauge,
            "1 if sessions can be read and changed; 0 while they are being restored or cannot be written.",
            host.isLoading || host.unavailability != nil ? 0 : 1)
        metric(
            "gamed_sessions_set_aside", .gauge,
            "Sessions that could not be restored, or that a changed flow does not fit.", aside.count)
        metric(
            "gamed_sessions_quarantined", .gauge,
            "Sessions set aside because the daemon died of them, or their data was damaged.", aside.quarantinedCount)
        metric(
            "gamed_clocks_stopped", .gauge,
            "Sessions whose clock the daemon stopped because their timers fire in a cycle.", host.timekeeper.haltedCount)
        family("gamed_messages_total", .counter, "Events that sessions have sent each other, by outcome.")
        sample(sessions.messages.sent, MetricLabel("outcome", "sent"))
        sample(sessions.messages.failed, MetricLabel("outcome", "failed"))
    }

    // MARK: Time

    mutating func addTime(_ host: Host) {
        let timers = host.timekeeper
        metric("gamed_timers_armed", .gauge, "Timers that will fire if nothing stops them.", timers.armedCount)
        metric("gamed_timers_armed_total", .counter, "Timers armed, each swing of a pendulum included.", timers.armings)
        metric("gamed_timers_fired_total", .counter, "Armed timers that fired.", timers.firings)
        metric(
            "gamed_timers_cancelled_total", .counter,
            "Armed timers that did not fire: their state was left, or they were paused, extended or dropped.",
            timers.cancellations)
        metric("gamed_timer_lateness_seconds", "Lateness of fired timers.", timers.latenessSinceStart)
        guard let turns = host.turns else { return }
        metric(
            "gamed_turn_duration_seconds",
            "Duration of the event loop's turns; everything else waits for a turn.", turns.turnTimes)
    }

    // MARK: The journal

    /// Without a journal there are none of its figures.
    mutating func addJournal(_ host: Host) {
        guard let journal = host.persistence?.statistics else { return }
        family("gamed_journal_failing", .gauge, "1 while writes to the disk fail and changes are refused.")
        sample(journal.failure == nil ? 0 : 1, MetricLabel("durability", journal.durability))
        metric("gamed_journal_failures_total", .counter, "Failed writes.", journal.failures)
        metric("gamed_journal_backlog_bytes", .gauge, "Changes not yet written.", journal.backlogBytes)
        metric("gamed_journal_batches_total", .counter, "Batches of changes written, at most one a turn.", journal.batches)
        metric("gamed_journal_written_bytes_total", .counter, "Bytes of the batches written.", journal.bytes)
        metric(
            "gamed_journal_commit_seconds",
            "Duration of a write; with durability always, until it was on disk.", journal.commits)
        metric("gamed_journal_sync_seconds", "Duration of a sync, with durability everysec.", journal.syncs)
    }

    // MARK: The process

    /// Names that begin with `process_` are those of Prometheus' own clients.
    mutating func addProcess(_ host: Host) {
        family("gamed_build_info", .gauge, "Always 1; the version is in the label.")
        sample(1, MetricLabel("version", gamedVersion))
        metric(
            "process_start_time_seconds", .gauge,
            "Start time of the daemon, in seconds since 1970.", Double(host.startedAtWall) / 1e9)
        metric("process_cpu_seconds_total", .counter, "Processor time used by the daemon.", ProcessorTime.seconds)
        metric(
            "process_resident_memory_bytes", .gauge,
            "Resident memory of the daemon, its program included.", Heap.residentWithFiles)
        metric(
            "gamed_memory_used_bytes", .gauge,
            "Memory that the daemon has allocated; in a heap with more than 10,000 free blocks, as of the last trim, "
                + "plus the change of resident memory since.",
            Heap.used
        )
        addDescriptors()
        metric("gamed_log_lines_lost_total", .counter, "Log lines lost because their reader was too slow.", host.log.lost)
    }

    private mutating func addDescriptors() {
        if let count = OpenDescriptors.count {
            metric("process_open_fds", .gauge, "Open file descriptors.", count)
        }
        if let most = OpenDescriptors.maxCount {
            metric("process_max_fds", .gauge, "Maximum number of open file descriptors.", most)
        }
    }

    // MARK: Flows

    /// Outcomes and sources have a sample only once they have happened: there are many flows, and most pairs never occur.
    mutating func addFlows(_ flows: [FlowReport]) {
        family("gamed_sessions", .gauge, "Sessions, by flow.")
        for flow in flows { sample(flow.sessions, flow.label) }
        family("gamed_events_total", .counter, "Events received by sessions, by flow, source and outcome.")
        for flow in flows { addOutcomes(of: flow, Self.events) }
        family("gamed_deeds_total", .counter, "Actions of operators and of the daemon itself on sessions, by flow and deed.")
        for flow in flows { addDeeds(of: flow) }
        family("gamed_transitions_total", .counter, "Transitions of sessions from one state to another, by flow.")
        for flow in flows { sample(flow.transitions, flow.label) }
        family("gamed_state_sessions", .gauge, "Sessions in each state, by flow; for a chart, in all active states.")
        for flow in flows {
            for state in flow.states { sample(max(0, state.sessions), flow.label, state.label) }
        }
        family("gamed_state_seconds_total", .counter, "Time that sessions have spent in each state, by flow.")
        for flow in flows {
            for state in flow.states { sample(state.seconds, flow.label, state.label) }
        }
    }

    private static let sources = EventSource.allCases.map { ($0, MetricLabel("source", $0.name)) }
    private static let events = HistoryEntry.Kind.allCases.filter { $0.command == nil }.map {
        ($0, MetricLabel("outcome", $0.name))
    }
    private static let deeds = HistoryEntry.Kind.allCases.filter { $0.command != nil }.map {
        ($0, MetricLabel("deed", $0.name))
    }

    private mutating func addOutcomes(of flow: FlowReport, _ outcomes: [(HistoryEntry.Kind, MetricLabel)]) {
        for (what, outcome) in outcomes {
            for (source, label) in Self.sources {
                let count = flow.count(of: what, from: source)
                if count > 0 { sample(count, flow.label, label, outcome) }
            }
        }
    }

    private mutating func addDeeds(of flow: FlowReport) {
        for (what, label) in Self.deeds {
            let count = Self.sources.reduce(0) { $0 + flow.count(of: what, from: $1.0) }
            if count > 0 { sample(count, flow.label, label) }
        }
    }
}

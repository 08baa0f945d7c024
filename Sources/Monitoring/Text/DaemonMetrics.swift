// Metrics of every daemon: clients, sessions, time, the journal, the process and flows.

import Commands
import GameFlow
import Posix
import Sessions

extension MetricsWriter {
    mutating func addClients(_ host: Host) {
        family("gamed_requests_total", .counter, "Requests carried out.")
        sample(host.requestCount)
        family("gamed_subscriptions", .gauge, "Channels and patterns that clients have subscribed to.")
        sample(host.subscriptions.count)
        family("gamed_wrong_tokens_total", .counter, "Tokens that were not right.")
        sample(host.access.wrongTokens)
        guard let clients = host.clients?.statistics else { return }
        let (unix, tcp) = (MetricLabel("transport", "unix"), MetricLabel("transport", "tcp"))
        family("gamed_connections", .gauge, "Connections that are open, by transport.")
        sample(clients.unix, unix)
        sample(clients.tcp, tcp)
        family("gamed_connections_accepted_total", .counter, "Connections since the start, by transport.")
        sample(clients.acceptedUnix, unix)
        sample(clients.acceptedTcp, tcp)
        family("gamed_connections_refused_total", .counter, "Connections that were refused.")
        sample(clients.refused)
        family(
            "gamed_connections_cut_off_total", .counter, "Connections that were cut off: they did not read, or held too much.")
        sample(clients.cutOff)
        family("gamed_client_memory_bytes", .gauge, "What is held for all clients together.")
        sample(clients.bytes)
    }
}

// MARK: - Sessions

extension MetricsWriter {
    mutating func addSessions(_ host: Host) {
        let (sessions, aside) = (host.sessions, host.sessions.setAsideSessions)
        family("gamed_up", .gauge, "1 if sessions can be read and changed; 0 while they are restored, or cannot be written.")
        sample(host.isLoading || host.unavailability != nil ? 0 : 1)
        family("gamed_sessions_set_aside", .gauge, "Sessions that could not be restored, or that a changed flow does not fit.")
        sample(aside.count)
        family("gamed_sessions_quarantined", .gauge, "Of those, the ones that have ended the daemon before.")
        sample(aside.quarantinedCount)
        family("gamed_clocks_stopped", .gauge, "Sessions whose clock the daemon stopped, since their timers fire in a circle.")
        sample(host.timekeeper.haltedCount)
        family("gamed_messages_total", .counter, "Events that sessions have sent each other, by what became of them.")
        sample(sessions.messages.sent, MetricLabel("outcome", "sent"))
        sample(sessions.messages.failed, MetricLabel("outcome", "failed"))
    }
}

// MARK: - Time

extension MetricsWriter {
    mutating func addTime(_ host: Host) {
        let timers = host.timekeeper
        family("gamed_timers_armed", .gauge, "Timers that will fire if nothing stops them.")
        sample(timers.armedCount)
        family("gamed_timers_armed_total", .counter, "How often timers were armed, each swing of a pendulum included.")
        sample(timers.armings)
        family("gamed_timers_fired_total", .counter, "How many of those fired.")
        sample(timers.firings)
        family(
            "gamed_timers_cancelled_total", .counter,
            "How many did not: their state was left, or they were paused, extended or dropped.")
        sample(timers.cancellations)
        family("gamed_timer_lateness_seconds", .histogram, "How late timers fired.")
        sample(timers.latenesses)
        guard let turns = host.turns else { return }
        family("gamed_turn_duration_seconds", .histogram, "How long turns of the loop took: all else waits for one.")
        sample(turns.turnTimes)
    }
}

// MARK: - The journal

extension MetricsWriter {
    /// Without a journal there are none of its figures.
    mutating func addJournal(_ host: Host) {
        guard let journal = host.persistence?.statistics else { return }
        family("gamed_journal_failing", .gauge, "1 while the disk does not take what is written: nothing can be changed then.")
        sample(journal.failure == nil ? 0 : 1, MetricLabel("durability", journal.durability))
        family("gamed_journal_failures_total", .counter, "How often writing has failed.")
        sample(journal.failures)
        family("gamed_journal_backlog_bytes", .gauge, "Changes that are not written yet.")
        sample(journal.backlogBytes)
        family("gamed_journal_batches_total", .counter, "Turns' changes that were written.")
        sample(journal.batches)
        family("gamed_journal_written_bytes_total", .counter, "The bytes of those.")
        sample(journal.bytes)
        family(
            "gamed_journal_commit_seconds", .histogram, "How long a write took; with durability always, until it was on disk.")
        sample(journal.commits)
        family("gamed_journal_sync_seconds", .histogram, "With durability everysec: how long it took until the disk had it.")
        sample(journal.syncs)
    }
}

// MARK: - The process

extension MetricsWriter {
    /// Names that begin with `process_` are those of Prometheus' own clients.
    mutating func addProcess(_ host: Host) {
        family("gamed_build_info", .gauge, "Always 1; the version is in the label.")
        sample(1, MetricLabel("version", gamedVersion))
        family("process_start_time_seconds", .gauge, "When the daemon began, in seconds since 1970.")
        sample(Double(host.startedAtWall) / 1e9)
        family("process_cpu_seconds_total", .counter, "The processor's time that the daemon has taken.")
        sample(ProcessorTime.seconds)
        family("process_resident_memory_bytes", .gauge, "What the system has given the daemon, used or free.")
        sample(Heap.resident)
        family("gamed_memory_used_bytes", .gauge, "What the daemon has allocated.")
        sample(Heap.used)
        addDescriptors()
        family("gamed_log_lines_lost_total", .counter, "Lines of the log that nobody read in time.")
        sample(host.log.lost)
    }

    private mutating func addDescriptors() {
        if let count = OpenDescriptors.count {
            family("process_open_fds", .gauge, "Descriptors that are open.")
            sample(count)
        }
        if let most = OpenDescriptors.maxCount {
            family("process_max_fds", .gauge, "Descriptors that may be open.")
            sample(most)
        }
    }
}

// MARK: - Flows

extension MetricsWriter {
    /// Outcomes and sources have a sample only once they have happened: there are many flows, and most pairs never occur.
    mutating func addFlows(_ flows: [FlowReport]) {
        family("gamed_sessions", .gauge, "Sessions, by flow.")
        for flow in flows { sample(flow.sessions, flow.label) }
        family("gamed_events_total", .counter, "Events that came to sessions, by flow, source and outcome.")
        for flow in flows { addOutcomes(of: flow, Self.events) }
        family("gamed_deeds_total", .counter, "What operators and the daemon itself did to sessions, by flow and action.")
        for flow in flows { addDeeds(of: flow) }
        family("gamed_transitions_total", .counter, "How often sessions went from one state to another, by flow.")
        for flow in flows { sample(flow.transitions, flow.label) }
        family("gamed_state_sessions", .gauge, "Sessions in each state now, by flow; in all states of a chart that are active.")
        for flow in flows {
            for state in flow.states { sample(max(0, state.sessions), flow.label, state.label) }
        }
        family("gamed_state_seconds_total", .counter, "The time that sessions have spent in each state, by flow.")
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

// MARK: - The daemon's figures as Prometheus reads them. All of them are kept as things happen: no answer walks over sessions.

/// Has figures beside the daemon's own, such as a server of pages.
package protocol MetricsSource: AnyObject {
    func write(to writer: inout MetricsWriter)
}

/// Answers GET /metrics. Made once for a daemon.
package final class MetricsText {
    package static let contentType = MetricsWriter.contentType

    private unowned let host: Host
    private let flows = FlowReports()
    /// Writes its metrics after the daemon's own. It owns this object, so it lives longer.
    package unowned var source: (any MetricsSource)?
    /// The next answer is about as long as the last.
    private var length = 1 << 14

    package init(of host: Host) {
        self.host = host
    }

    /// All figures, as of now.
    package func gather() -> [UInt8] {
        var writer = MetricsWriter(capacity: length + length / 8)
        writer.addProcess(host)
        writer.addSessions(host)
        writer.addFlows(flows.reports(of: host.sessions))
        writer.addTime(host)
        writer.addJournal(host)
        writer.addCluster(host)
        writer.addClients(host)
        source?.write(to: &writer)
        length = writer.bytes.count
        return writer.bytes
    }
}

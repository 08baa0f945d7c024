import Commands

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

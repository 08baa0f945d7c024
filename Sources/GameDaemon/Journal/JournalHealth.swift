// How the journal is, for INFO.

import JournalStore

extension Daemon {
    /// The fields of INFO's section `Persistence`.
    var persistence: [(String, String)] {
        guard let journal = keeping?.journal else { return [("durability", "none"), ("journal_status", "ok")] }
        let report = journal.report
        let now = TurnClock.now().bootNanoseconds
        return [
            ("durability", "\(journal.durability)"), ("directory", journal.writer.directory),
            ("loading", isLoading ? "1" : "0"), ("journal_status", report.failure == nil ? "ok" : "failing"),
            ("journal_failure", report.failure ?? ""), ("journal_failures", "\(report.failures)"),
            ("journal_backlog_bytes", "\(journal.backlogBytes)"), ("sessions_set_aside", "\(sessions.aside.count)"),
            ("sessions_quarantined", "\(sessions.aside.values.count { $0.quarantined != nil })"),
            // How long ago all that there was then was on disk.
            ("last_sync_ms_ago", report.lastSync.map { "\(max(0, now - $0) / 1_000_000)" } ?? ""),
            // Why the log does not go into the database: nothing is lost by it, but it grows.
            ("checkpoint_failure", report.checkpointFailure ?? ""),
        ]
    }
}

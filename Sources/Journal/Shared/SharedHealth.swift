// What an operator is told of sessions in a shared store.

import Posix
import Sessions

extension SharedPersistence {
    package var figures: JournalFigures {
        let (report, counts) = (journal.writer.report, journal.writer.counts)
        var figures = JournalFigures()
        (figures.durability, figures.failure, figures.failures) = ("\(journal.durability)", report.failure, report.failures)
        figures.backlogBytes = backlogBytes
        (figures.batches, figures.bytes, figures.commits) = (counts.batches, counts.bytes, counts.commits)
        figures.sinceWrite = report.lastCommit.map { .nanoseconds(max(0, TurnClock.now().bootNanoseconds - $0)) }
        return figures
    }

    package func health(isLoading: Bool) -> [(String, String)] {
        let figures = figures
        return [
            ("durability", figures.durability), ("directory", directory), ("loading", isLoading ? "1" : "0"),
            ("journal_status", figures.failure == nil ? "ok" : "failing"), ("journal_failure", figures.failure ?? ""),
            ("journal_failures", "\(figures.failures)"), ("journal_backlog_bytes", "\(backlogBytes)"),
            ("journal_commits", "\(figures.commits.count)"), ("journal_batches", "\(figures.batches)"),
            ("journal_written_bytes", "\(figures.bytes)"), ("tables_backlog_bytes", "\(tables.backlogBytes)"),
            ("tables_failure", tables.failure ?? ""), ("loading_failure", reader.failure ?? ""),
            ("mail_failure", mailroom.failure ?? ""),
            ("sessions_set_aside", "\(sessions.unrestored.count)"),
            ("sessions_quarantined", "\(sessions.unrestored.quarantinedCount)"),
            ("last_sync_ms_ago", figures.sinceWrite.map { "\($0.milliseconds)" } ?? ""),
        ]
    }
}

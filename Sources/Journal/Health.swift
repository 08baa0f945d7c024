// What operators are told of persistence, and their backups.

import Posix
import Sessions

extension Persistence {
    package var directory: String { store.place }

    package var figures: JournalStatistics {
        let (report, counts) = (journal.writer.report, journal.writer.counts)
        var figures = JournalStatistics()
        (figures.durability, figures.failure) = ("\(journal.durability)", report.failure?.description)
        (figures.failures, figures.backlogBytes) = (report.failures, backlogBytes)
        (figures.batches, figures.bytes) = (counts.batches, counts.bytes)
        (figures.commits, figures.syncs) = (counts.commits, counts.syncs)
        figures.sinceWrite = counts.lastWritten.map { .nanoseconds(max(0, Self.now() - $0)) }
        return figures
    }

    package func health(isLoading: Bool) -> [(String, String)] {
        let (report, figures) = (journal.writer.report, figures)
        let mail = mailroom.map { [("mail_failure", $0.failure ?? "")] } ?? []
        return [
            ("durability", figures.durability), ("directory", directory), ("loading", isLoading ? "1" : "0"),
            ("journal_status", figures.failure == nil ? "ok" : "failing"), ("journal_failure", figures.failure ?? ""),
            ("journal_failures", "\(figures.failures)"), ("journal_backlog_bytes", "\(backlogBytes)"),
            ("journal_commits", "\(figures.commits.count)"), ("journal_batches", "\(figures.batches)"),
            ("journal_written_bytes", "\(figures.bytes)"), ("tables_backlog_bytes", "\(tables.backlogBytes)"),
            ("tables_failure", tables.failure ?? ""), ("loading_failure", reader.failure ?? ""),
        ] + mail + [
            ("sessions_set_aside", "\(sessions.setAsideSessions.count)"),
            ("sessions_quarantined", "\(sessions.setAsideSessions.quarantinedCount)"),
            // The age of the last moment at which everything was on disk.
            ("last_sync_ms_ago", report.lastSync.map { "\(max(0, Self.now() - $0) / 1_000_000)" } ?? ""),
            // Why the log cannot be made shorter. Nothing is lost, but it grows.
            ("checkpoint_failure", journal.writer.counts.growth?.description ?? ""),
        ]
    }

    /// What is in the log and not in the tables yet.
    package var tablesBacklogBytes: Int { tables.backlogBytes }

    // MARK: Backups

    package var backupUnavailableReason: String? { store.whyNoBackup }
    package var backup: BackupReport { backups?.report ?? BackupReport() }

    package func beginBackup(to path: String) -> Bool {
        // The backup includes everything acknowledged so far.
        journal.submitTurn()
        return backups?.begin(to: path) ?? false
    }

    func logBackupEnd() {
        guard let report = backups?.news else { return }
        if let error = report.error {
            log.error("the backup \(report.path): \(error)")
        } else {
            log.notice("the backup \(report.path) is complete, \(report.bytes) bytes")
        }
    }
}

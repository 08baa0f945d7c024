// Persistence reports for operators, and their backups.

import Posix
import Sessions
import Store

extension Persistence {
    package var directory: String { store.place }

    package var statistics: JournalStatistics {
        let (report, counts) = (journal.writer.report, journal.writer.counts)
        var statistics = JournalStatistics()
        let failure = report.failure ?? counts.displacement
        (statistics.durability, statistics.failure) = ("\(journal.durability)", failure?.description)
        (statistics.failures, statistics.backlogBytes) = (report.failures, backlogBytes)
        (statistics.batches, statistics.bytes) = (counts.batches, counts.bytes)
        (statistics.commits, statistics.syncs) = (counts.commits, counts.syncs)
        statistics.sinceWrite = counts.lastWritten.map { .nanoseconds(max(0, TurnClock.bootNanoseconds - $0)) }
        return statistics
    }

    package func health(isLoading: Bool) -> [(String, String)] {
        let (report, statistics) = (journal.writer.report, statistics)
        let mail = mailroom.map { [("mail_failure", $0.thread.failure ?? "")] } ?? []
        return [
            ("durability", statistics.durability), ("directory", directory), ("loading", isLoading ? "1" : "0"),
            ("journal_status", statistics.failure == nil ? "ok" : "failing"), ("journal_failure", statistics.failure ?? ""),
            ("journal_failures", "\(statistics.failures)"), ("journal_backlog_bytes", "\(backlogBytes)"),
            ("journal_commits", "\(statistics.commits.count)"), ("journal_batches", "\(statistics.batches)"),
            ("journal_written_bytes", "\(statistics.bytes)"), ("tables_backlog_bytes", "\(tables.backlogBytes)"),
            ("tables_failure", tables.failure ?? ""), ("loading_failure", reader.failure ?? ""),
        ] + mail + [
            ("sessions_set_aside", "\(sessions.setAsideSessions.count)"),
            ("sessions_quarantined", "\(sessions.setAsideSessions.quarantinedCount)"),
            // The age of the last moment at which everything was on disk.
            ("last_sync_ms_ago", report.lastSync.map { "\(max(0, TurnClock.bootNanoseconds - $0) / 1_000_000)" } ?? ""),
            // Why the log cannot be made shorter. Nothing is lost, but it grows.
            ("checkpoint_failure", journal.writer.counts.growth?.description ?? ""),
            ("backup_status", backup.status.rawValue), ("backup_error", backup.error ?? ""),
        ]
    }

    /// Bytes in the log that are not in the tables yet.
    package var tablesBacklogBytes: Int { tables.backlogBytes }

    package var backupUnavailableReason: String? { store.whyNoBackup }
    package var backup: BackupReport { backups?.report ?? BackupReport() }

    package func beginBackup(to path: String, _ onBegun: @escaping (_ failure: String?) -> Void) -> Bool {
        // The one before may have ended just now.
        reportBackup()
        // The backup includes everything acknowledged so far.
        journal.submitTurn()
        guard let backups, backups.begin(to: path, through: journal.handedOver) else { return false }
        backupStarts.add(onBegun)
        return true
    }

    func reportBackup() {
        if let start = backups?.unreportedStart { backupStarts.takeAll().complete(with: start.error) }
        logBackupEnd()
    }

    private func logBackupEnd() {
        guard let report = backups?.unreportedEnd else { return }
        if let error = report.error {
            log.error("the backup \(report.path): \(error)")
        } else {
            log.notice("the backup \(report.path) is complete, \(report.bytes) bytes")
        }
    }

    /// The error of a stop that leaves changes unwritten.
    func stopError(_ failure: StoreError) -> StoreError {
        let unwritten = mailroom == nil ? [] : journal.writer.unwritten.sorted()
        let more = unwritten.count > Self.maxShownShards ? ["…"] : []
        let numbers = unwritten.prefix(Self.maxShownShards).map { "\($0)" } + more
        let whose = unwritten.isEmpty ? "" : " of \("shard".counted(unwritten.count)) (\(numbers.joined(separator: ", ")))"
        // Without a shard that lacks changes, only a crash of the database can have lost some.
        let isUncertain = failure.cause == .unknown || mailroom != nil && unwritten.isEmpty
        let loss =
            journal.durability == .always
            ? (unwritten.isEmpty ? "" : "; changes\(whose) that were not acknowledged are not written")
            : "; changes\(whose) that were acknowledged and not written \(isUncertain ? "may be" : "are") lost"
        return StoreError(failure.cause, failure.description + loss)
    }

    private static let maxShownShards = 32
}

import Commands
import Sessions

extension MetricsWriter {
    /// Without a journal there are none of its figures.
    mutating func addJournal(_ host: Host) {
        guard let journal = host.persistence?.figures else { return }
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

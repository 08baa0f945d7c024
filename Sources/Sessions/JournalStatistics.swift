import Timers

/// How the journal writes, in numbers since the start.
package struct JournalStatistics {
    package var durability = ""
    /// Why writing fails at the moment; nil if it does not.
    package var failure: String?
    package var failures = 0
    /// Bytes not written yet.
    package var backlogBytes = 0
    /// Turns' changes that were written, and their bytes.
    package var batches = 0
    package var bytes = 0
    /// How long it took to write what was there, which may be several batches: with `always`, until it was on disk.
    package var commits = DurationHistogram()
    /// With `everysec`: how long it took until the disk had it.
    package var syncs = DurationHistogram()
    /// Since the disk has last taken something; nil if it has not yet.
    package var sinceWrite: Duration?

    package init() {}
}

import Store
import Timers

/// The progress of the log's writer, as the loop sees it.
struct WriterReport: Sendable {
    /// The turns up to this one are as safe as the durability asks, or lost.
    var safeThrough: UInt64 = 0
    /// Changes of turns up to this one may be lost.
    var lostThrough: UInt64 = 0
    /// Why writing fails at the moment.
    var failure: StoreError?
    var failures = 0
    /// The last time of the boot clock at which everything committed was as safe as it becomes.
    var lastSync: Int64?
    /// Commits that the store had acknowledged, had lost, and was sent again.
    var rewritten = 0
    /// Whether the store has all that it has acknowledged, as far as is known. After a connection has ended, that must be checked.
    var isCurrent = true
}

/// Counts of what the log's writer has written since the start.
struct WriterCounts: Sendable {
    var batches = 0
    var bytes = 0
    var commits = DurationHistogram()
    var syncs = DurationHistogram()
    /// When something was last written, on the boot clock.
    var lastWritten: Int64?
    /// Why the log cannot be made shorter. Nothing is lost.
    var growth: StoreError?
    /// Why the next start would not find the store's files, as of the last second in which the writer was idle; nil if it would.
    var displacement: StoreError?

    mutating func count(_ batches: Int, _ bytes: Int, from began: Int64, to end: Int64) {
        self.batches += batches
        self.bytes += bytes
        commits.count(end - began)
        lastWritten = end
    }
}

import Timers

/// What the writer has written since the start.
struct WriterCounts: Sendable {
    var batches = 0
    var bytes = 0
    var commits = DurationHistogram()
    var syncs = DurationHistogram()
    /// When something was last written, on the boot clock.
    var lastWritten: Int64?

    mutating func count(_ batches: Int, _ bytes: Int, from began: Int64, to end: Int64) {
        self.batches += batches
        self.bytes += bytes
        commits.count(end - began)
        lastWritten = end
    }
}

/// Whether the disk has taken what was tried.
struct DiskAnswer: Sendable {
    /// Nil if it has.
    let failure: String?
}

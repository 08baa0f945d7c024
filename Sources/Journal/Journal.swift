// The loop's side of the journal: encodes a turn's changes and hands them to the writer as one batch.

import GameFlow
import Posix
import Sessions
import Store
import Timers

/// Collects changes, and knows which are safe. `docs/JOURNAL.md` has the promises.
package final class Journal: SessionRecorder {
    /// With `everysec`, a batch is handed over at this size or age.
    private static let largeBatch = 128 << 10
    private static let oldBatch = Duration.milliseconds(50)

    package let durability: Durability
    let writer: JournalWriter
    private let timekeeper: Timekeeper
    @exclusivity(unchecked) let encoder = BatchEncoder()
    /// This turn's time, taken at its first change.
    @exclusivity(unchecked) private var time: TurnTime?
    @exclusivity(unchecked) private var begun: TurnTime?
    /// The number of the last batch handed over.
    @exclusivity(unchecked) private(set) var handedOver: UInt64 = 0

    init(_ writer: JournalWriter, _ durability: Durability, on timekeeper: Timekeeper) {
        self.writer = writer
        self.durability = durability
        self.timekeeper = timekeeper
    }

    /// The last life given out.
    package var lastLife: Life {
        get { encoder.lastLife }
        set { encoder.lastLife = newValue }
    }

    package var expiries: Expiries? {
        get { encoder.expiries }
        set { encoder.expiries = newValue }
    }

    // MARK: Recording

    /// Records a history line, and the session as it is now. A refused event changes nothing, unless a timer fired for it; of a
    /// session that was dropped there is no more image.
    package func note(
        _ occurrence: borrowing Occurrence, _ machine: AnyMachine, _ name: UnsafeRawBufferPointer, _ life: Life, serial: UInt64,
        seq: UInt32
    ) {
        let time = now()
        encoder.line(occurrence, machine, name, life, serial: serial, seq: seq, time)
        guard let detail = occurrence.detail else { return encoder.image(machine, name, life, seq: seq, time) }
        let isUnchanged = detail.what == .refused && occurrence.cause.source != .timer
        if !isUnchanged, detail.what != .dropped { encoder.image(machine, name, life, seq: seq, time) }
    }

    /// Records a session as it is now.
    package func keep(_ machine: AnyMachine, _ name: UnsafeRawBufferPointer, _ life: Life, seq: UInt32) {
        encoder.image(machine, name, life, seq: seq, now())
    }

    package func note(_ last: LastLine) { encoder.line(last, now()) }

    package func drop(_ slot: UInt32, named name: UnsafeRawBufferPointer) {
        _ = now()
        encoder.drop(slot)
    }

    /// Records that a session that was set aside is given up.
    package func drop(_ session: UnrestoredSession) {
        session.name.withBytes { drop(UInt32(bitPattern: Int32(truncatingIfNeeded: session.id)), named: $0) }
    }

    package func forgetNames(ofKind number: Int) { encoder.forgetNames(ofKind: number) }
    /// While this is set, a batch is handed over only where it can hold no more.
    @exclusivity(unchecked) package var holdsTogether = false
    package var hasRoom: Bool { encoder.hasRoom }

    private func now() -> TurnTime {
        if encoder.isFull(holding: holdsTogether) { handOver() }
        if let time { return time }
        let now = TurnClock.now()
        time = now
        if begun == nil { begun = now }
        return now
    }

    // MARK: Turns

    /// Hands over this turn's changes. True if some are held back, to be handed over soon.
    package func endTurn() -> Bool {
        let isLate = time.map { isOld($0) } ?? true
        time = nil
        guard !encoder.isEmpty else { return false }
        guard durability == .always || encoder.count >= Self.largeBatch || isLate else { return true }
        handOver()
        return false
    }

    private func isOld(_ now: TurnTime) -> Bool {
        guard let begun else { return false }
        return .nanoseconds(now.bootNanoseconds - begun.bootNanoseconds) >= Self.oldBatch
    }

    /// Hands everything encoded so far to the writer.
    func handOver() {
        guard !encoder.isEmpty else { return }
        handedOver += 1
        begun = nil
        writer.take(encoder.close(), number: handedOver)
    }

    // MARK: Progress

    /// The batch that must be safe before output may leave the process; nil if nothing has to wait.
    func awaited(_ report: WriterReport) -> UInt64? {
        durability == .always && report.safeThrough < handedOver ? handedOver : nil
    }

    var report: WriterReport { writer.report }
    var figures: JournalFigures {
        let (report, counts) = (writer.report, writer.counts)
        var figures = JournalFigures()
        (figures.durability, figures.failure, figures.failures) = ("\(durability)", report.failure, report.failures)
        figures.backlogBytes = backlogBytes
        (figures.batches, figures.bytes) = (counts.batches, counts.bytes)
        (figures.commits, figures.syncs) = (counts.commits, counts.syncs)
        let now = TurnClock.now().bootNanoseconds
        figures.sinceWrite = counts.lastWritten.map { .nanoseconds(max(0, now - $0)) }
        return figures
    }
    package var backlogBytes: Int { writer.backlogBytes + encoder.pendingBytes }

    /// Returns once everything is on disk and in the tables.
    package func finish() throws {
        handOver()
        try writer.finish()
    }
}

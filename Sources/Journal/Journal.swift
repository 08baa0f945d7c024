// The loop's side of the journal: what a turn has changed is written down, and handed to the writer as one batch.

import GameFlow
import Posix
import Sessions
import Store
import Timers

/// Collects changes, and knows what is safe. `docs/JOURNAL.md` says what is promised.
package final class Journal: SessionRecorder {
    /// With `everysec`, a batch is handed over when it is this large, or this old.
    private static let largeBatch = 128 << 10
    private static let oldBatch = Duration.milliseconds(50)

    package let durability: Durability
    let writer: JournalWriter
    private let timekeeper: Timekeeper
    @exclusivity(unchecked) private let encoder = BatchEncoder()
    /// The time of this turn, taken when the first change of it is written down.
    @exclusivity(unchecked) private var time: TurnTime?
    @exclusivity(unchecked) private var begun: TurnTime?
    /// The number of the batch that was handed over last.
    @exclusivity(unchecked) private(set) var handedOver: UInt64 = 0

    init(_ writer: JournalWriter, _ durability: Durability, on timekeeper: Timekeeper) {
        self.writer = writer
        self.durability = durability
        self.timekeeper = timekeeper
    }

    /// The last life that was given out.
    package var lastLife: Life {
        get { encoder.lastLife }
        set { encoder.lastLife = newValue }
    }

    // MARK: What changes

    /// Something has happened to a session; what was refused has changed nothing, unless a timer has fired for it.
    package func note(
        _ occurrence: borrowing Occurrence, _ machine: AnyMachine, _ name: UnsafeRawBufferPointer, _ life: Life, serial: UInt64
    ) {
        let time = now()
        encoder.line(occurrence, machine, name, life, serial: serial, time)
        if !occurrence.isRefused || occurrence.cause.source == .timer { encoder.image(machine, name, life, time) }
    }

    /// A session has begun, or its timers stand differently.
    package func keep(_ machine: AnyMachine, _ name: UnsafeRawBufferPointer, _ life: Life) {
        encoder.image(machine, name, life, now())
    }

    package func drop(_ session: UInt32) {
        _ = now()
        encoder.drop(session)
    }

    /// One that had been set aside is given up.
    package func drop(_ session: UnrestoredSession) {
        drop(UInt32(bitPattern: Int32(truncatingIfNeeded: session.id)))
    }

    private func now() -> TurnTime {
        if encoder.isFull { handOver() }
        if let time { return time }
        let now = TurnClock.now()
        time = now
        if begun == nil { begun = now }
        return now
    }

    // MARK: Turns

    /// Hands over what this turn has changed. True if something stays behind that must be handed over soon.
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

    /// What has been written down so far goes to the writer.
    func handOver() {
        guard !encoder.isEmpty else { return }
        handedOver += 1
        begun = nil
        writer.take(encoder.close(), number: handedOver)
    }

    // MARK: What has become of it

    /// The batch that must be safe before anything that is said now may leave the process; nil if nothing has to wait.
    func awaited(_ report: WriterReport) -> UInt64? {
        durability == .always && report.safeThrough < handedOver ? handedOver : nil
    }

    var report: WriterReport { writer.report }
    package var backlogBytes: Int { writer.backlogBytes + encoder.pendingBytes }

    /// Everything is on disk and in the tables when this returns.
    package func finish() throws {
        handOver()
        try writer.finish()
    }
}

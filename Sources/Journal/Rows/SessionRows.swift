// A part of a shard's sessions, read on a worker's thread: parsing happens there, and the loop only makes the machines.

import GameFlow
import Glibc
import Memory
import Sessions
import Store

/// Rows as the store has them, and the image that each one holds. They own their texts, since what a store lends is gone after the call: the texts
/// are in blocks that never move, and live as long as the rows. Nothing is added once they were handed to another thread.
final class SessionRows: @unchecked Sendable {
    private static let blockSize = 64 << 10

    private var rows: [SessionRow] = []
    private var blocks: [BatchBytes] = []
    private var room = 0
    /// The memory that the rows take, in bytes.
    private(set) var size = 0
    /// Empty until `readImages`. The daemon's downtime counts as away; the loop computes when a session entered its state.
    private(set) var images: [Result<SessionImage, RestorationError>] = []

    var count: Int { rows.count }

    func append(_ row: SessionRow) {
        let needed = row.textSize
        let block = block(with: needed)
        var owned = row
        owned.replaceTexts(block.keep)
        rows.append(owned)
        size += needed + MemoryLayout<SessionRow>.stride
        room -= needed
    }

    /// The first row's block is as large as the row: mostly it stays alone, or there are hundreds.
    private func block(with needed: Int) -> BatchBytes {
        if let last = blocks.last, room >= needed { return last }
        room = rows.isEmpty ? needed : max(needed, Self.blockSize)
        let block = BatchBytes(capacity: room)
        blocks.append(block)
        return block
    }

    /// Lends one row.
    func withRow<Result, Failure: Error>(
        _ index: Int, _ body: (SessionRow) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(rows[index])
    }

    /// Lends each row with its index, after passing its name to `foresee`, for prefetching, some rows earlier.
    func forEach(foresee: (Text) -> Void = { _ in }, _ body: (Int, SessionRow) throws -> Void) rethrows {
        defer { withExtendedLifetime(self) {} }
        let ahead = 16
        // Rows are large: in place, none of them is copied.
        try rows.withUnsafeBufferPointer { rows in
            for index in rows.indices {
                if index + ahead < rows.count { foresee(rows[index + ahead].name) }
                try body(index, rows[index])
            }
        }
    }
}

extension BatchBytes {
    /// Copies the text, for which there is room. The copy does not move.
    fileprivate func keep(_ text: Text) -> Text {
        let start = count
        write(text)
        return Text(rebasing: bytes[start...])
    }
}

// MARK: - Reads the images of rows

extension SessionRows {
    /// Parses the rows, once all are added. `moment` is when the daemon is back up.
    func readImages(until moment: StoredTime) {
        // All timers first, since the images share one array of them.
        var timers: [TimerImage] = []
        var ends: [Result<Int, RestorationError>] = []
        ends.reserveCapacity(count)
        forEach { _, row in ends.append(Self.read(row.timers, into: &timers)) }
        var images: [Result<SessionImage, RestorationError>] = []
        images.reserveCapacity(count)
        // The latest row's state: neighbouring rows are mostly in the same one.
        var (start, state) = (0, "")
        forEach { index, row in
            images.append(
                ends[index].flatMap { end in
                    defer { start = end }
                    return Self.image(row, timers[start..<end], until: moment, &state)
                })
        }
        self.images = images
    }

    /// Returns how many timers there are by then.
    private static func read(_ text: Text, into timers: inout [TimerImage]) -> Result<Int, RestorationError> {
        do throws(JSONError) {
            try TimersText.read(text, into: &timers)
            return .success(timers.count)
        } catch {
            return .failure(.noJSON("stored data is", error))
        }
    }

    private static func image(
        _ row: SessionRow, _ timers: ArraySlice<TimerImage>, until moment: StoredTime, _ state: inout String
    ) -> Result<SessionImage, RestorationError> {
        if !withText(state, { UnsafeRawBufferPointer($0).hasSameBytes(as: row.state) }) { state = row.state.string }
        let marks = ImageMarks(timers)
        do throws(RestorationError) {
            var image = SessionImage(
                state: state, data: try data(row.data), context: try row.context.map(context),
                away: .nanoseconds(row.savedTime.away(until: moment)), timers: timers.dropFirst(marks.count), isSaved: true)
            (image.isFrozen, image.isHalted) = (row.paused, row.paused && marks.isHalted)
            (image.version, image.untouched) = (UInt32(truncatingIfNeeded: row.version), marks.untouched)
            image.wasSetAside = marks.wasSetAside
            image.events = try row.waiting.map(events)
            return .success(image)
        } catch {
            return .failure(error)
        }
    }

    private static func data(_ text: Text) throws(RestorationError) -> JSON {
        withText("{}", { $0.hasSameBytes(as: text) }) ? .object([]) : try json(text, "stored data is")
    }

    private static func context(_ text: Text) throws(RestorationError) -> JSON { try json(text, "parameters are") }

    private static func json(_ text: Text, _ what: String) throws(RestorationError) -> JSON {
        do throws(JSONError) { return try JSON(parsing: text.string) } catch { throw .noJSON(what, error) }
    }

    private static func events(_ text: Text) throws(RestorationError) -> SavedEvents {
        do {
            return try SavedEvents.read(text)
        } catch {
            throw error as? RestorationError ?? .noJSON("waiting events are", error)
        }
    }
}

extension RestorationError {
    fileprivate static func noJSON(_ what: String, _ error: any Error) -> RestorationError {
        RestorationError("its \(what) not JSON: \(error)")
    }
}

extension SessionRow {
    /// The image from which this row alone is restored. `moment` is now.
    func image(at moment: StoredTime) throws(RestorationError) -> SessionImage {
        let rows = SessionRows()
        rows.append(self)
        rows.readImages(until: moment)
        guard let image = rows.images.first else { throw RestorationError("there is nothing left of it") }
        return try image.get()
    }

    /// Whether the store finds it by number.
    var hasNumber: Bool { id != SessionRow.unnumbered }
    var wasUnrestored: Bool { id < 0 && hasNumber }
    /// Whether the row differs from the one that was written.
    var isDamaged: Bool { seal == .broken }
    var isQuarantined: Bool { quarantined || isDamaged }
    /// Its life, clamped: the row may be damaged.
    var knownLife: Life { Life(truncatingIfNeeded: life) & LifeCounter.maxLife }

    /// When the row was saved.
    fileprivate var savedTime: StoredTime { StoredTime(text: extra, wallNanoseconds: max(0, saved)) }

    /// How long the session had been in its state when the row was saved, in nanoseconds.
    var inState: Int64 { StoredTime.span(max(0, saved) - wallNanoseconds(milliseconds: since)) }
}

/// At least 0, also of a damaged or edited row, so that differences of two cannot overflow.
package func wallNanoseconds(milliseconds: Int64) -> Int64 {
    let (nanoseconds, isBeyond) = max(0, milliseconds).multipliedReportingOverflow(by: 1_000_000)
    return isBeyond ? .max : nanoseconds
}

// MARK: - Reads the column `timers`

enum TimersText {
    /// Appends the text's timers.
    static func read(_ text: UnsafeRawBufferPointer, into timers: inout [TimerImage]) throws(JSONError) {
        let first = timers.count
        var cursor = ByteCursor(text)
        if readCanonical(&cursor, into: &timers) { return }
        timers.removeSubrange(first...)
        guard case .array(let listed) = try JSON(parsing: text.string) else { return }
        timers += listed.compactMap { timer in
            guard let name = timer["name"]?.text else { return nil }
            return TimerImage(
                name: name, kind: timer["kind"]?.text == "pendulum" ? .pendulum : .countdown,
                left: timer["remaining_ns"]?.integer.map { .nanoseconds($0) }, isPaused: timer["paused"]?.boolean ?? false,
                milestonesDue: timer["milestones_due"]?.integer ?? 0)
        }
    }

    /// False if the text has another form than `RowText` writes.
    private static func readCanonical(_ cursor: inout ByteCursor, into timers: inout [TimerImage]) -> Bool {
        guard cursor.consume("[") else { return false }
        var isFirst = true
        while !cursor.consume("]") {
            guard isFirst || cursor.consume(","), let timer = timer(&cursor) else { return false }
            timers.append(timer)
            isFirst = false
        }
        return cursor.isAtEnd
    }

    private static func timer(_ cursor: inout ByteCursor) -> TimerImage? {
        guard cursor.consume("{\"name\":"), let name = cursor.plainBytes()?.string, cursor.consume(",\"kind\":\"") else {
            return nil
        }
        let isPendulum = cursor.consume("pendulum")
        guard isPendulum || cursor.consume("countdown"), cursor.consume("\",\"remaining_ns\":") else { return nil }
        let hasFired = cursor.consume("null")
        let left = hasFired ? nil : cursor.number()
        guard hasFired || left != nil, cursor.consume(",\"paused\":") else { return nil }
        let isPaused = cursor.consume("true")
        guard isPaused || cursor.consume("false"), cursor.consume("}") else { return nil }
        return TimerImage(
            name: name, kind: isPendulum ? .pendulum : .countdown, left: left.map { .nanoseconds($0) }, isPaused: isPaused)
    }
}

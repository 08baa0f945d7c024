// Rows of sessions that own their texts, since what a store lends is gone after the call.

import Sessions
import Store

/// Rows in the order in which they were added. Their texts are in blocks that never move, and live as long as the rows. Nothing is added
/// once they were handed to another thread.
final class SessionRows: @unchecked Sendable {
    private static let blockSize = 64 << 10

    private var rows: [SessionRow] = []
    private var blocks: [BatchBytes] = []
    private var room = 0
    /// The memory that the rows take, in bytes.
    private(set) var size = 0

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
        for index in rows.indices {
            if index + ahead < rows.count { foresee(rows[index + ahead].name) }
            try body(index, rows[index])
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

extension SessionRow {
    /// Whether the store finds it by number.
    var hasNumber: Bool { id != SessionRow.unnumbered }
    var wasUnrestored: Bool { id < 0 && hasNumber }
    /// Whether the row differs from the one that was written.
    var isDamaged: Bool { seal == .broken }
    var isQuarantined: Bool { quarantined || isDamaged }
    /// Its life, clamped: the row may be damaged.
    var knownLife: Life { Life(truncatingIfNeeded: life) & LifeCounter.maxLife }
}

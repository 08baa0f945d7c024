// Makes the blocks of history that the tables have: here an entry gets the columns that people read.

import GameFlow
import Sessions
import Store

/// A block that owns its texts.
final class OwnedBlock {
    private let block: HistoryBlock
    private let (names, entries): (BatchBytes, BatchBytes)

    init(first: Int64, last: Int64, count: Int, names: BatchBytes, entries: BatchBytes) {
        (self.names, self.entries) = (names, entries)
        block = HistoryBlock(first: first, last: last, count: Int64(count), names: names.bytes, entries: entries.bytes)
    }

    var count: Int { Int(block.count) }

    func write(to writer: any TableWriter) throws(StoreError) {
        try writer.history(block)
        withExtendedLifetime(self) {}
    }
}

/// Collects entries, in the order of their serial numbers, and closes them into blocks.
final class HistoryBlocks {
    private var open = OpenBlock()
    private let take: (OwnedBlock) -> Void

    /// `take` receives each block once it is closed: because it is full, or by `close`.
    init(_ take: @escaping (OwnedBlock) -> Void) { self.take = take }

    /// Closes the open block.
    func close() {
        if let block = open.close() { take(block) }
    }

    /// The numbers of names are another batch's from here on.
    func beginBatch() { open.beginBatch() }

    /// `names` are of its batch.
    func add(_ line: LoggedEntry, of names: BatchNames) {
        if open.isFull { close() }
        open.add(line, of: names)
    }

    /// The same of an entry that comes from another store, under another serial number.
    func add(_ line: StoredEntry, as serial: Int64) {
        if open.isFull { close() }
        open.add(line, as: serial)
    }
}

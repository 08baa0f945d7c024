// The history on its way from one store to another.

import Store

/// Entries of one shard of the target, in blocks.
final class MovedLines {
    private var blocks: [OwnedBlock] = []
    private var repeats: [RepeatRow] = []
    private var open = OpenBlock()

    func add(_ line: StoredEntry, as serial: Int64) {
        if let full = open.add(line, as: serial) { blocks.append(full) }
        guard var row = line.repeats else { return }
        row.serial = serial
        repeats.append(row)
    }

    func write(to writer: any TableWriter) throws(StoreError) {
        if let last = open.close() { blocks.append(last) }
        for block in blocks { try block.write(to: writer) }
        for row in repeats { try writer.repeat(row) }
        (blocks, repeats) = ([], [])
    }
}

/// Entries of several shards in the order of their times. Blocks come in the order of their first entries; within a shard an entry is never put
/// before an earlier one, even if the clock was set back.
struct LinesByTime {
    private var waiting: [(time: Int64, line: StoredEntry)] = []
    /// Times of the latest block, and of each shard's latest entry.
    private var latest = Int64.min
    private var latestOfShard: [Int: Int64] = [:]

    /// Yields what can be followed only by later entries.
    mutating func add(_ lines: [StoredEntry], of shard: Int, _ body: (StoredEntry) throws -> Void) rethrows {
        guard let first = lines.first else { return }
        latest = max(latest, first.at)
        try yield({ [latest] in $0 < latest }, body)
        var time = max(latest, latestOfShard[shard] ?? latest)
        for line in lines {
            time = max(time, line.at)
            waiting.append((time, line))
        }
        latestOfShard[shard] = time
    }

    mutating func end(_ body: (StoredEntry) throws -> Void) rethrows { try yield({ _ in true }, body) }

    /// Swift's sort is stable, which it does not promise; so the order in which they came decides between equals.
    private mutating func yield(_ isDue: (Int64) -> Bool, _ body: (StoredEntry) throws -> Void) rethrows {
        let due = waiting.indices.filter { isDue(waiting[$0].time) }.sorted {
            (waiting[$0].time, $0) < (waiting[$1].time, $1)
        }
        for index in due { try body(waiting[index].line) }
        waiting.removeAll { isDue($0.time) }
    }
}

extension StoredEntry {
    /// A checksum of everything but the serial number, valid in this process.
    var sum: UInt64 {
        var line = self
        line.serial = 0
        line.repeats?.serial = 0
        return UInt64(bitPattern: Int64(line.hashValue))
    }
}

// What the loop hands over at the end of a turn, and what becomes of it: one commit of one or several turns.

import Store

/// A turn's changes, in the order of their making.
struct SharedTurn: Sendable {
    let number: UInt64
    let changes: [ShardChange]
    /// Whether nothing that was done in it has been left out: a shard may be lost in the midst of a turn.
    let isWhole: Bool

    var bytes: Int { changes.reduce(0) { $0 + $1.batch.count } }
}

/// The turns of one commit: what a shard has changed in them is one row of its log.
struct SharedCommit {
    /// One row: each batch with its length before it.
    struct Row {
        let shard: Shard
        let number: Int64
        fileprivate(set) var batches: [BatchBytes] = []
        fileprivate let bytes = BatchBytes()

        fileprivate mutating func add(_ batch: BatchBytes) {
            batches.append(batch)
            bytes.reserve(4 + batch.count)
            bytes.put(UInt32(batch.count))
            bytes.put(batch.bytes)
        }

        var sent: ShardBatch { ShardBatch(shard, number: number, bytes: bytes.bytes) }
    }

    private(set) var lastTurn: UInt64 = 0
    /// Of its turns.
    private(set) var bytes = 0
    private(set) var rows: [Row] = []
    /// Whether nothing was left out.
    private(set) var isWhole = true
    private var places: [Shard: Int] = [:]

    var isEmpty: Bool { lastTurn == 0 }

    /// `number` gives the place in a shard's log; nil if this node does not have it any more.
    mutating func add(_ turn: SharedTurn, number: (Shard) -> Int64?) {
        lastTurn = turn.number
        bytes += turn.bytes
        if !turn.isWhole { isWhole = false }
        for change in turn.changes {
            guard let place = place(of: change.shard, number) else {
                isWhole = false
                continue
            }
            rows[place].add(change.batch)
        }
    }

    private mutating func place(of shard: Shard, _ number: (Shard) -> Int64?) -> Int? {
        if let place = places[shard] { return place }
        guard let number = number(shard) else { return nil }
        rows.append(Row(shard: shard, number: number))
        places[shard] = rows.count - 1
        return rows.count - 1
    }
}

extension UnsafeRawBufferPointer {
    /// The batches in one row of a shard's log.
    func forEachBatch(_ body: (BatchBytes) throws -> Void) throws {
        var reader = BatchReader(self)
        while !reader.isAtEnd {
            let bytes = try reader.take(Int(try reader.take(UInt32.self)))
            let batch = BatchBytes(capacity: bytes.count + 1)
            batch.put(bytes)
            try body(batch)
        }
    }
}

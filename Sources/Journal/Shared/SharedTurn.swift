// What the loop hands over at the end of a turn, and what becomes of it: one commit of one or several turns.

import Store

/// A turn's changes: batches of its shards, one behind the other, each with its length before it.
struct SharedTurn: Sendable {
    struct Part: Sendable {
        let shard: Shard
        let range: Range<Int>
    }

    /// What a shard's sessions have sent, and the messages to them that are carried out.
    struct Mail: Sendable {
        let shard: Shard
        let posted: [PostedMessage]
        let taken: [Int64]
    }

    let number: UInt64
    let batches: BatchBytes
    let parts: [Part]
    let mail: [Mail]
    /// Whether nothing that was done in it has been left out: a shard may be lost in the midst of a turn.
    let isWhole: Bool
    let bytes: Int

    init(number: UInt64, batches: BatchBytes, parts: [Part], mail: [Mail], isWhole: Bool) {
        (self.number, self.batches, self.parts, self.mail, self.isWhole) = (number, batches, parts, mail, isWhole)
        bytes = mail.reduce(batches.count) { $1.posted.reduce($0) { $0 + $1.body.count } }
    }
}

/// The turns of one commit: what a shard has changed in them is one row of its log.
struct SharedCommit {
    struct Row {
        let shard: Shard
        let number: Int64
        let batches: BatchBytes
        fileprivate(set) var posted: [PostedMessage] = []
        fileprivate var taken: [Int64] = []

        var sent: ShardBatch { sent(under: shard) }

        /// As a row of the shard under a later epoch.
        func sent(under shard: Shard) -> ShardBatch {
            ShardBatch(shard, number: number, bytes: batches.bytes, posted: posted, taken: taken)
        }
    }

    private(set) var lastTurn: UInt64 = 0
    /// Of its turns.
    private(set) var bytes = 0
    private(set) var rows: [Row] = []
    /// Whether nothing was left out.
    private(set) var isWhole = true
    private var places: [Shard: Int] = [:]

    var isEmpty: Bool { lastTurn == 0 && !isAgain }
    /// Whether its rows have been committed before.
    let isAgain: Bool

    init() { isAgain = false }

    /// Rows that have been committed before, of a shard each. They belong to no turn.
    init(again rows: [Row]) {
        self.rows = rows
        isAgain = true
    }

    /// `number` gives the place in a shard's log; nil if this node does not have it any more.
    mutating func add(_ turn: SharedTurn, number: (Shard) -> Int64?) {
        lastTurn = turn.number
        bytes += turn.bytes
        if !turn.isWhole { isWhole = false }
        for part in turn.parts {
            guard let place = place(of: part, number) else {
                isWhole = false
                continue
            }
            let batches = rows[place].batches
            batches.reserve(part.range.count)
            batches.put(UnsafeRawBufferPointer(rebasing: turn.batches.bytes[part.range]))
        }
        // Whoever has mail has a batch.
        for mail in turn.mail {
            guard let place = places[mail.shard] else { continue }
            rows[place].posted += mail.posted
            rows[place].taken += mail.taken
        }
    }

    private mutating func place(of part: SharedTurn.Part, _ number: (Shard) -> Int64?) -> Int? {
        if let place = places[part.shard] { return place }
        guard let number = number(part.shard) else { return nil }
        rows.append(Row(shard: part.shard, number: number, batches: BatchBytes(capacity: part.range.count)))
        places[part.shard] = rows.count - 1
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

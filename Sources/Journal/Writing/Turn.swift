// The changes that the loop hands over at the end of a turn, and the commit that they become with those of other turns.

import Sessions
import Store

/// The changes of a turn: batches of its shards, one after the other, each with its length before it.
struct Turn: Sendable {
    struct Part: Sendable {
        let shard: Shard
        let range: Range<Int>
        /// Messages of the shard's sessions, and messages to them that were applied.
        var posted: [PostedMessage] = []
        var taken: [MessageID] = []
    }

    let number: UInt64
    let batches: BatchBytes
    let parts: [Part]
    /// Whether none of its changes was left out: a shard may be lost in the middle of a turn.
    let isWhole: Bool
    /// Whether nothing is new in it but the remaining times of `freeze` timers. Nothing that was acknowledged is lost with it.
    let hasOnlyTimers: Bool
    let bytes: Int

    init(number: UInt64, batches: BatchBytes, parts: [Part], isWhole: Bool, hasOnlyTimers: Bool = false) {
        (self.number, self.batches, self.parts, self.isWhole) = (number, batches, parts, isWhole)
        self.hasOnlyTimers = hasOnlyTimers
        bytes = parts.reduce(batches.count) { $0 + $1.posted.bodyBytes }
    }
}

/// The changes of one or several turns: one row of each shard's log.
struct Commit {
    struct Row {
        private(set) var shard: Shard
        let number: Int64
        fileprivate(set) var batches: BatchBytes
        fileprivate(set) var posted: [PostedMessage] = []
        fileprivate(set) var taken: [MessageID] = []
        /// Whether `batches` is the turn's own memory, which must not grow.
        fileprivate var isBorrowed = false

        var sent: ShardBatch { ShardBatch(shard, number: number, bytes: batches.bytes, posted: posted, taken: taken) }

        /// How much memory it holds, in bytes.
        var footprint: Int { batches.count + posted.bodyBytes + taken.count * MemoryLayout<MessageID>.stride }

        /// The same row of the shard under a later epoch: the fence refuses the former one.
        func under(_ shard: Shard) -> Row {
            var row = self
            row.shard = shard
            return row
        }
    }

    private(set) var lastTurn: UInt64 = 0
    /// Bytes of its turns.
    private(set) var bytes = 0
    private(set) var rows: [Row] = []
    /// Whether nothing was left out.
    private(set) var isWhole = true
    /// The shards that were left out.
    private(set) var leftOut: Set<Int> = []
    /// Shards of which it has only remaining times of timers.
    private(set) var onlyTimers: Set<Int> = []
    private var indices: [Shard: Int] = [:]

    var isEmpty: Bool { lastTurn == 0 && !isAgain }
    /// Whether its rows have been committed before.
    let isAgain: Bool
    /// When its writing began, on the boot clock.
    let began = Worker.now()

    init() { isAgain = false }

    /// Rows that have been committed before, of a shard each. They belong to no turn.
    init(again rows: [Row]) {
        self.rows = rows
        isAgain = true
    }

    /// `number` gives the index in a shard's log; nil if the shard has another owner now.
    mutating func add(_ turn: Turn, number: (Shard) -> Int64?) {
        lastTurn = turn.number
        bytes += turn.bytes
        if !turn.isWhole { isWhole = false }
        if turn.hasOnlyTimers || !onlyTimers.isEmpty { countTimers(of: turn) }
        for part in turn.parts { add(part, of: turn, number) }
    }

    /// To be called before the turn's parts are added.
    private mutating func countTimers(of turn: Turn) {
        let shards = Set(turn.parts.lazy.map(\.shard.number))
        guard turn.hasOnlyTimers else { return onlyTimers.subtract(shards) }
        onlyTimers.formUnion(shards.subtracting(rows.lazy.map(\.shard.number)).subtracting(leftOut))
    }

    /// Leaves out the rows of shards that have another owner now. No turn is added after that.
    mutating func removeRows(where isLost: (Shard) -> Bool) {
        for row in rows where isLost(row.shard) { leaveOut(row.shard) }
        rows.removeAll { isLost($0.shard) }
    }

    private mutating func leaveOut(_ shard: Shard) {
        isWhole = false
        leftOut.insert(shard.number)
    }

    private mutating func add(_ part: Turn.Part, of turn: Turn, _ number: (Shard) -> Int64?) {
        if let index = indices[part.shard] { return rows[index].append(part, of: turn) }
        guard let number = number(part.shard) else { return leaveOut(part.shard) }
        indices[part.shard] = rows.count
        if part.range.count == turn.batches.count {
            rows.append(
                Row(
                    shard: part.shard, number: number, batches: turn.batches, posted: part.posted, taken: part.taken,
                    isBorrowed: true))
        } else {
            rows.append(Row(shard: part.shard, number: number, batches: BatchBytes(capacity: part.range.count)))
            rows[rows.count - 1].append(part, of: turn)
        }
    }
}

extension [PostedMessage] {
    fileprivate var bodyBytes: Int { reduce(0) { $0 + $1.body.count } }
}

extension Commit.Row {
    /// The first turn's bytes are used where they are, as long as no other turn's follow.
    fileprivate mutating func append(_ part: Turn.Part, of turn: Turn) {
        let bytes = turn.batches.bytes[part.range]
        if isBorrowed {
            let own = BatchBytes(capacity: max(4_096, 2 * (batches.count + bytes.count)))
            own.write(batches.bytes)
            (batches, isBorrowed) = (own, false)
        }
        batches.reserve(bytes.count)
        batches.write(UnsafeRawBufferPointer(rebasing: bytes))
        posted += part.posted
        taken += part.taken
    }
}

/// Consequences of a turn's end for its output.
package struct TurnEnd {
    /// The turns or batches up to this one are safe.
    package var safeThrough: UInt64
    /// The turn that must be durable before this turn's output is sent; nil if it can be sent at once.
    package var awaited: UInt64?
    /// Why writing fails at the moment.
    package var failure: String?
    /// Whether `failure` has changed since the last turn.
    package var failureHasChanged: Bool
    /// Whether sessions in memory are ahead of durable state that may be lost. Nothing can be reported about them then.
    package var hidesSessions = false
    /// Output waiting for any later turn cannot be sent as intended: some of those changes may be lost.
    package var lostAfter: UInt64?
}

// MARK: - Changes of one shard in the current turn, as it grows.

/// A shard of this node, with its open batch.
final class ShardDraft {
    let shard: Shard
    @exclusivity(unchecked) var encoder: BatchEncoder
    /// Whether this turn has changed something in it.
    var isTouched = false
    /// Messages that the shard's sessions sent in this turn, and messages to them that were applied.
    var posted: [PostedMessage] = []
    var taken: [MessageID] = []

    init(_ shard: Shard, boot: String, actors: ActorTable) {
        self.shard = shard
        encoder = BatchEncoder(boot: boot, actors: actors)
    }
}

// MARK: - Which shard each session is in, by its slot: a node that lets go of a shard must find its sessions without hashing all names.

struct ShardSlots {
    /// By slot; a free slot keeps its last shard.
    private var shards: [UInt16] = []

    mutating func set(_ slot: UInt32, _ shard: Int) {
        if slot >= shards.count { grow(to: Int(slot)) }
        shards[Int(slot)] = UInt16(truncatingIfNeeded: shard)
    }

    private mutating func grow(to slot: Int) {
        shards += repeatElement(.max, count: max(1_024, slot + 1 - shards.count, shards.count / 2))
    }

    /// The slots that may have sessions of this shard.
    func slots(of shard: Int) -> [UInt32] {
        let wanted = UInt16(truncatingIfNeeded: shard)
        return shards.indices.filter { shards[$0] == wanted }.map { UInt32($0) }
    }
}

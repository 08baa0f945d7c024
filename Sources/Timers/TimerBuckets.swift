// The buckets of the wheel and its hand: where a timer is listed, and which bucket comes next.

/// Eleven levels of 64 lists of slots. Times are keys: instants as unsigned numbers.
///
/// A timer belongs to the one bucket that its record names. Other listings of its slot are stale echoes, dropped when the hand
/// reaches them, or earlier if there are too many.
struct TimerBuckets: ~Copyable {
    static let levels = 11
    private static let levelBits: UInt64 = 6
    /// Below this level a bucket spans a quarter of a millisecond at most: there the loop sleeps until the exact deadline, not
    /// the bucket's start, so that no timer causes several wake-ups shortly before it fires.
    private static let coarse = 4
    /// Every bucket may have a piece or two even without echoes.
    private static let piecesToStartWith = levels * 64 * 2
    /// How often a slot may be listed, on average, before echoes are cleared away.
    private static let maxListingsPerSlot = 2

    private let lists: UnsafeMutablePointer<SlotList>
    private let occupied: UnsafeMutablePointer<UInt64>
    /// When each bucket begins that something counts in; behind them all, where no timer stays, the end of time.
    private let starts: UnsafeMutablePointer<UInt64>
    private var pool = SlotPool()
    /// With more pieces than this in use, there are too many echoes.
    private var maxPieces = TimerBuckets.piecesToStartWith
    private var nextToClear: UInt32 = 0
    /// The current position: on every coarse level, the hand's bucket is empty, or being emptied.
    private(set) var hand: UInt64 = 0
    /// The bucket that is being emptied, and the rest of its list.
    private var emptied = (bucket: TimerPlace.noBucket, list: SlotList())
    /// Levels with a bucket at the hand that is still to be emptied, one bit each. The finest comes last, since it gets the others' timers.
    private var levelsAtHand: UInt16 = 0
    private static let finest: UInt16 = 1 << 15
    /// Whether buckets that begin at the hand are still to be emptied.
    private(set) var isEmptying = false

    var footprint: Int {
        pool.footprint + Self.levels * (64 * MemoryLayout<SlotList>.stride + MemoryLayout<UInt64>.stride)
    }

    init() {
        lists = .allocate(capacity: Self.levels * 64)
        lists.initialize(repeating: SlotList(), count: Self.levels * 64)
        occupied = .allocate(capacity: Self.levels)
        occupied.initialize(repeating: 0, count: Self.levels)
        starts = .allocate(capacity: Int(TimerPlace.noBucket) + 1)
        starts.initialize(repeating: .max, count: Int(TimerPlace.noBucket) + 1)
    }

    deinit {
        lists.deallocate()
        occupied.deallocate()
        starts.deallocate()
    }

    // MARK: In and out

    /// Whether a timer in this bucket has to be listed in another to fire at `deadline`. It stays if the hand gets there earlier.
    @inline(__always)
    func mustMove(from bucket: UInt32, to deadline: UInt64) -> Bool { starts[Int(bucket)] >= max(deadline, hand) }

    /// Lists a timer by its deadline.
    mutating func list(_ slot: UInt32, _ record: inout TimerRecord, for deadline: UInt64, in slab: borrowing TimerSlab) {
        let key = max(deadline, hand)
        let (bucket, start) = bucket(for: key)
        if !lists[Int(bucket)].hasRoom { makeRoom(in: bucket, start, slab) }
        record.place.bucket = bucket
        lists[Int(bucket)].append(slot)
    }

    /// Moves the hand to the beginning of the next buckets, which are to be emptied. False if they begin after `key`.
    mutating func moveHand(upTo key: UInt64) -> Bool {
        var (first, levels) = (UInt64.max, UInt16(0))
        for level in 0..<Self.levels {
            guard let start = start(ofLevel: level), start <= first else { continue }
            levels = 1 << UInt16(level) | (start < first ? 0 : levels)
            first = start
        }
        guard levels != 0, first <= key else { return false }
        (hand, levelsAtHand, isEmptying) = (first, levels & ~1 | Self.finest, true)
        return true
    }

    /// Moves the hand past everything that was due.
    mutating func moveHand(past key: UInt64) { hand = max(hand, key) }

    /// Empties the buckets that begin at the hand: timers that fire at the hand are due, in no order, and others move
    /// to finer buckets. False if there is more to do than `most` allows.
    mutating func empty(in slab: borrowing TimerSlab, _ due: inout DueTimers, atMost most: inout Int) -> Bool {
        while most > 0 {
            if let (slots, piece) = emptied.list.removeFirst() {
                most -= slots.count
                move(slots, in: slab, &due)
                pool.recycle(piece)
            } else if let bucket = nextAtHand() {
                emptied = (bucket, drain(bucket))
            } else {
                isEmptying = false
                return true
            }
        }
        return false
    }

    private mutating func nextAtHand() -> UInt32? {
        guard levelsAtHand != 0 else { return nil }
        let level = levelsAtHand.trailingZeroBitCount
        levelsAtHand &= levelsAtHand - 1
        return Self.bucket(level < Self.levels ? level : 0, hand)
    }

    private mutating func move(_ slots: UnsafeBufferPointer<UInt32>, in slab: borrowing TimerSlab, _ due: inout DueTimers) {
        let isFinest = emptied.bucket < 64
        for slot in slots {
            guard leaves(&slab.records[slot], emptied.bucket) else { continue }
            let key = slab.records[slot].key
            if isFinest, key <= hand {
                due.append(DueTimer(deadline: key, sequence: slab.records[slot].place.sequence, slot: slot))
            } else {
                list(slot, &slab.records[slot], for: key, in: slab)
            }
        }
    }

    /// Removes the timer from the bucket if it belongs there; returns whether it is armed.
    private func leaves(_ record: inout TimerRecord, _ bucket: UInt32) -> Bool {
        guard record.place.bucket == bucket else { return false }
        record.place.bucket = TimerPlace.noBucket
        return record.place.isArmed
    }

    private mutating func makeRoom(in bucket: UInt32, _ start: UInt64, _ slab: borrowing TimerSlab) {
        if pool.piecesInUse > maxPieces { clearEchoes(in: slab) }
        // Clearing the echoes may have made room here too.
        if !lists[Int(bucket)].hasRoom { addPiece(to: bucket, start) }
    }

    private mutating func addPiece(to bucket: UInt32, _ start: UInt64) {
        starts[Int(bucket)] = start
        occupied[Int(bucket >> 6)] |= 1 << UInt64(bucket & 63)
        lists[Int(bucket)].grow(pool.takePiece())
    }

    private mutating func drain(_ bucket: UInt32) -> SlotList {
        occupied[Int(bucket >> 6)] &= ~(1 << UInt64(bucket & 63))
        let list = lists[Int(bucket)]
        lists[Int(bucket)] = SlotList()
        return list
    }

    /// Clears the echoes from one bucket; the next time from the next.
    private mutating func clearEchoes(in slab: borrowing TimerSlab) {
        maxPieces = Self.piecesToStartWith + Int(slab.used) * Self.maxListingsPerSlot / SlotPiece.capacity
        guard pool.piecesInUse > maxPieces else { return }
        repeat {
            nextToClear = (nextToClear + 1) % UInt32(Self.levels * 64)
        } while occupied[Int(nextToClear >> 6)] >> UInt64(nextToClear & 63) & 1 == 0
        let (bucket, start) = (nextToClear, starts[Int(nextToClear)])
        var list = drain(bucket)
        while let (slots, piece) = list.removeFirst() {
            for slot in slots {
                guard leaves(&slab.records[slot], bucket) else { continue }
                slab.records[slot].place.bucket = bucket
                if !lists[Int(bucket)].hasRoom { addPiece(to: bucket, start) }
                lists[Int(bucket)].append(slot)
            }
            pool.recycle(piece)
        }
    }

    // MARK: The next event

    /// The hand's next stop: a deadline, or a bucket to empty.
    func earliestWake(in slab: borrowing TimerSlab) -> Instant {
        var first = UInt64.max
        for level in 0..<Self.levels {
            guard let start = start(ofLevel: level), start < first else { continue }
            first = min(first, level > 0 && level < Self.coarse ? wake(level, start, in: slab) : start)
        }
        return Instant(key: first)
    }

    /// The earliest deadline in a bucket, or the bucket's start if it holds only echoes or many timers.
    private func wake(_ level: Int, _ start: UInt64, in slab: borrowing TimerSlab) -> UInt64 {
        let bucket = Self.bucket(level, start)
        guard lists[Int(bucket)].hasOnePiece else { return start }
        let size: UInt64 = 1 << (UInt64(level) * Self.levelBits)
        var first = UInt64.max
        for slot in lists[Int(bucket)].firstSlots {
            let record = slab.records[slot]
            guard record.place.bucket == bucket, record.place.isArmed, record.key &- start < size else {
                return start
            }
            first = min(first, record.key)
        }
        return first
    }

    /// When the first occupied bucket of a level begins.
    private func start(ofLevel level: Int) -> UInt64? {
        let bits = occupied[level]
        guard bits != 0 else { return nil }
        let shift = UInt64(level) * Self.levelBits
        let turn = hand >> shift
        let index = turn & 63
        let ahead = (bits >> index) | (bits << ((64 - index) & 63))
        return (turn + UInt64(ahead.trailingZeroBitCount)) << shift
    }

    // MARK: Names of buckets

    /// The bucket of the finest level that reaches the deadline, and when it begins.
    private func bucket(for key: UInt64) -> (name: UInt32, start: UInt64) {
        let distance = 63 &- ((key &- hand) | 1).leadingZeroBitCount
        // A division by six that takes one instruction.
        var level = UInt64(truncatingIfNeeded: (distance &* 43) &>> 8)
        // A distance of 64 buckets would be the bucket where the hand is.
        level &+= (key &>> (level &* 6)) &- (hand &>> (level &* 6)) == 64 ? 1 : 0
        let turn = key &>> (level &* 6)
        return (UInt32(truncatingIfNeeded: level &<< 6 | turn & 63), turn &<< (level &* 6))
    }

    private static func bucket(_ level: Int, _ start: UInt64) -> UInt32 {
        UInt32(level) * 64 + UInt32(truncatingIfNeeded: (start >> (UInt64(level) * levelBits)) & 63)
    }
}

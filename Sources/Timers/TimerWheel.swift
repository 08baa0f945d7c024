// A hierarchical timing wheel that is exact to the nanosecond: eleven levels of 64 buckets, each level 64 times as coarse
// as the one below it. Hand-written and not libevent's, because it runs on virtual time too, and because a random re-arm
// among a million timers costs a fraction of what it costs in a heap (`make bench` shows by how much).
//
// A timer lies in the finest level whose 64 buckets reach its deadline. When the hand reaches a bucket of a coarse level, its
// timers move down, in front of those that lie there already: those were armed later. So each bucket of level 0 holds the
// timers of one nanosecond in the order of their arming, and nothing ever has to be sorted.

/// Timers by deadline. It knows no clock and calls nobody: whoever owns it takes out what is due, one by one.
public struct TimerWheel: ~Copyable {
    /// A timer that was due and has been taken out of its bucket; its slot is still its owner's.
    public struct Expired {
        public let id: TimerID
        public let token: UInt
        public let deadline: Instant
    }

    private static let levels = 11
    private static let levelBits: UInt64 = 6
    /// Below this level a bucket spans a quarter of a millisecond at most: there a sleeper is told the exact deadline, not
    /// the bucket's beginning, so that no timer costs a flurry of wake-ups shortly before it fires.
    private static let coarse = 4

    var slab = TimerSlab()
    private let heads: UnsafeMutablePointer<UInt32>
    private let tails: UnsafeMutablePointer<UInt32>
    private let occupied: UnsafeMutablePointer<UInt64>
    private var occupiedLevels: UInt32 = 0
    /// Where the wheel's hand stands. No armed timer lies before it.
    private var hand: UInt64 = 0
    private var earliest = Instant.never
    public private(set) var armedCount = 0

    public init() {
        heads = .allocate(capacity: Self.levels * 64)
        tails = .allocate(capacity: Self.levels * 64)
        occupied = .allocate(capacity: Self.levels)
        occupied.initialize(repeating: 0, count: Self.levels)
    }

    deinit {
        heads.deallocate()
        tails.deallocate()
        occupied.deallocate()
    }

    /// The memory that the wheel holds, in bytes.
    public var footprint: Int {
        slab.footprint + Self.levels * (64 * 2 * MemoryLayout<UInt32>.stride + MemoryLayout<UInt64>.stride)
    }

    // MARK: What an owner does

    /// A slot for a timer that is not armed yet.
    public mutating func add(token: UInt) -> TimerID {
        slab.take(token: token)
    }

    /// Arms a timer, or arms it anew. Among equal deadlines, whoever was armed first fires first.
    @discardableResult
    public mutating func arm(_ id: TimerID, at deadline: Instant) -> Bool {
        guard slab.holds(id) else { return false }
        arm(slot: id.slot, at: deadline)
        return true
    }

    /// Takes a timer out of the wheel; its slot stays.
    @discardableResult
    public mutating func disarm(_ id: TimerID) -> Bool {
        guard slab.holds(id) else { return false }
        leaveBucket(id.slot)
        slab[id.slot].pointee.previous = SlotLink.idle
        return true
    }

    /// Gives a timer's slot back; the id is stale from here on.
    @discardableResult
    public mutating func remove(_ id: TimerID) -> Bool {
        guard slab.holds(id) else { return false }
        remove(slot: id.slot)
        return true
    }

    /// When the timer fires, if it is armed.
    public func deadline(of id: TimerID) -> Instant? {
        slab.holds(id) ? deadline(ofSlot: id.slot) : nil
    }

    /// The next timer that is due at `now`, in order of deadline and then of arming; nil once there is none.
    public mutating func popDue(at now: Instant) -> Expired? {
        let limit = Self.key(now)
        while let start = nextBucketStart(), start <= limit {
            hand = max(hand, start)
            moveDownBuckets(startingAt: start)
            if let expired = popFinest(at: start) { return expired }
        }
        hand = max(hand, limit)
        earliest = findEarliest()
        return nil
    }

    /// When somebody should call `popDue` again: never later than the next deadline; earlier only where timers must move to
    /// finer buckets first (a handful of times in a timer's life) or where the timer that it was meant for is gone. Never
    /// when nothing is armed.
    public var nextWake: Instant? {
        armedCount == 0 ? nil : earliest
    }

    // MARK: The same by slot, for owners that keep their slots to themselves

    mutating func arm(slot: UInt32, at deadline: Instant) {
        leaveBucket(slot)
        let record = slab[slot]
        record.pointee.time = deadline.nanoseconds
        append(slot, record, to: bucket(for: Self.key(deadline)))
        armedCount += 1
        if deadline < earliest || armedCount == 1 { earliest = deadline }
    }

    /// Takes a timer out of the wheel and keeps how much is left of it.
    mutating func park(slot: UInt32, left: Int64) {
        leaveBucket(slot)
        slab[slot].pointee.time = left
        slab[slot].pointee.previous = SlotLink.parked
    }

    mutating func remove(slot: UInt32) {
        leaveBucket(slot)
        slab.giveBack(slot)
    }

    func deadline(ofSlot slot: UInt32) -> Instant? {
        let record = slab[slot].pointee
        return record.previous < SlotLink.parked ? Instant(nanoseconds: record.time) : nil
    }

    func left(ofParked slot: UInt32) -> Int64? {
        let record = slab[slot].pointee
        return record.previous == SlotLink.parked ? record.time : nil
    }

    // MARK: Buckets

    /// Instants in the order of unsigned numbers.
    @inline(__always)
    private static func key(_ instant: Instant) -> UInt64 {
        UInt64(bitPattern: instant.nanoseconds) ^ (1 << 63)
    }

    @inline(__always)
    private func key(of slot: UInt32) -> UInt64 {
        Self.key(Instant(nanoseconds: slab[slot].pointee.time))
    }

    /// The bucket of the finest level that reaches the deadline. What is overdue goes where the hand points.
    @inline(__always)
    private func bucket(for deadline: UInt64) -> UInt32 {
        let key = max(deadline, hand)
        var level = UInt64(63 - ((key - hand) | 1).leadingZeroBitCount) / Self.levelBits
        // A distance of 64 buckets would be the bucket where the hand is.
        if (key >> (level * 6)) - (hand >> (level * 6)) == 64 { level += 1 }
        return UInt32(level * 64 + (key >> (level * 6)) & 63)
    }

    @inline(__always)
    private mutating func append(_ slot: UInt32, _ record: UnsafeMutablePointer<TimerRecord>, to bucket: UInt32) {
        record.pointee.next = SlotLink.end | bucket
        if occupy(bucket) {
            let tail = tails[Int(bucket)]
            slab[tail].pointee.next = slot
            record.pointee.previous = tail
        } else {
            heads[Int(bucket)] = slot
            record.pointee.previous = SlotLink.end | bucket
        }
        tails[Int(bucket)] = slot
    }

    private mutating func prepend(_ slot: UInt32, _ record: UnsafeMutablePointer<TimerRecord>, to bucket: UInt32) {
        record.pointee.previous = SlotLink.end | bucket
        if occupy(bucket) {
            let head = heads[Int(bucket)]
            slab[head].pointee.previous = slot
            record.pointee.next = head
        } else {
            tails[Int(bucket)] = slot
            record.pointee.next = SlotLink.end | bucket
        }
        heads[Int(bucket)] = slot
    }

    /// Marks the bucket as occupied; says whether it was already.
    @inline(__always)
    private mutating func occupy(_ bucket: UInt32) -> Bool {
        let level = Int(bucket >> 6)
        let bit: UInt64 = 1 << UInt64(bucket & 63)
        let was = occupied[level]
        occupied[level] = was | bit
        occupiedLevels |= 1 << UInt32(level)
        return was & bit != 0
    }

    private mutating func vacate(_ bucket: UInt32) {
        let level = Int(bucket >> 6)
        occupied[level] &= ~(1 << UInt64(bucket & 63))
        if occupied[level] == 0 { occupiedLevels &= ~(1 << UInt32(level)) }
    }

    /// Unlinks an armed timer; leaves any other alone.
    @inline(__always)
    private mutating func leaveBucket(_ slot: UInt32) {
        let record = slab[slot]
        let (previous, next) = (record.pointee.previous, record.pointee.next)
        guard previous < SlotLink.parked else { return }
        armedCount -= 1
        switch (previous >= SlotLink.end, next >= SlotLink.end) {
        case (false, false):
            slab[previous].pointee.next = next
            slab[next].pointee.previous = previous
        case (false, true):
            slab[previous].pointee.next = next
            tails[Int(next & ~SlotLink.end)] = previous
        case (true, false):
            slab[next].pointee.previous = previous
            heads[Int(previous & ~SlotLink.end)] = next
        case (true, true):
            vacate(previous & ~SlotLink.end)
        }
    }

    // MARK: The hand

    /// The earliest beginning of an occupied bucket, over all levels.
    private func nextBucketStart() -> UInt64? {
        var first: UInt64?
        forEachOccupiedLevel { level in
            let start = bucketStart(level)
            first = min(first ?? start, start)
        }
        return first
    }

    /// When the first occupied bucket of a level begins.
    private func bucketStart(_ level: Int) -> UInt64 {
        let shift = UInt64(level) * Self.levelBits
        let turn = hand >> shift
        let index = turn & 63
        let bits = occupied[level]
        let ahead = (bits >> index) | (bits << ((64 - index) & 63))
        return (turn + UInt64(ahead.trailingZeroBitCount)) << shift
    }

    /// Moves the timers of coarse buckets that begin at `start` to finer ones: the finer levels first, since what comes from
    /// further away was armed earlier and goes in front.
    private mutating func moveDownBuckets(startingAt start: UInt64) {
        var levels = occupiedLevels & ~1
        while levels != 0 {
            let level = levels.trailingZeroBitCount
            levels &= levels - 1
            if bucketStart(level) == start { moveDown(level) }
        }
    }

    private mutating func moveDown(_ level: Int) {
        let bucket = UInt32(level) * 64 + UInt32(truncatingIfNeeded: (hand >> (UInt64(level) * Self.levelBits)) & 63)
        var slot = tails[Int(bucket)]
        vacate(bucket)
        while slot < SlotLink.end {
            let record = slab[slot]
            let previous = record.pointee.previous
            prepend(slot, record, to: self.bucket(for: key(of: slot)))
            slot = previous
        }
    }

    private mutating func popFinest(at start: UInt64) -> Expired? {
        guard occupied[0] != 0, bucketStart(0) == start else { return nil }
        let slot = heads[Int(start & 63)]
        leaveBucket(slot)
        let record = slab[slot]
        record.pointee.previous = SlotLink.idle
        return Expired(
            id: TimerID(slot: slot, generation: record.pointee.generation), token: record.pointee.token,
            deadline: Instant(nanoseconds: record.pointee.time))
    }

    private func findEarliest() -> Instant {
        var first = UInt64.max
        forEachOccupiedLevel { level in
            let start = bucketStart(level)
            guard start < first else { return }
            first = min(first, level < Self.coarse ? earliestKey(level, start) : start)
        }
        return Instant(nanoseconds: Int64(bitPattern: first ^ (1 << 63)))
    }

    private func earliestKey(_ level: Int, _ start: UInt64) -> UInt64 {
        if level == 0 { return start }
        var slot = heads[level * 64 + Int((start >> (UInt64(level) * Self.levelBits)) & 63)]
        var first = UInt64.max
        while slot < SlotLink.end {
            first = min(first, key(of: slot))
            slot = slab[slot].pointee.next
        }
        return first
    }

    @inline(__always)
    private func forEachOccupiedLevel(_ body: (Int) -> Void) {
        var levels = occupiedLevels
        while levels != 0 {
            body(levels.trailingZeroBitCount)
            levels &= levels - 1
        }
    }
}

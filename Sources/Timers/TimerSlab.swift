// The memory of the wheel: one record a timer, in chunks that never move, reached by number.

/// Names one slot of a wheel for one use of it; once the slot is given back, the name is stale and does nothing.
public struct TimerID: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
}

/// One timer's record: 32 bytes, so that two of them share a cache line.
struct TimerRecord {
    /// When it fires; for a parked timer, the nanoseconds that are left.
    var time: Int64 = 0
    /// What its owner wants to be handed when it fires; the wheel never looks inside.
    var token: UInt
    /// Neighbours in its bucket; at an end of the list, the name of the bucket. Of a free slot: the next free one.
    var next: UInt32 = SlotLink.idle
    var previous: UInt32 = SlotLink.idle
    /// How often this slot has been given back.
    var generation: UInt32
    /// The next timer of the same owner: the wheel only keeps it.
    var sibling: UInt32 = SlotLink.none
}

/// What a link says when it does not name a slot.
enum SlotLink {
    static let none = UInt32.max
    /// As `previous`: in no bucket, and nothing is left.
    static let idle = UInt32.max - 1
    /// As `previous`: in no bucket, and `time` says what is left.
    static let parked = UInt32.max - 2
    /// Set in a link at the end of a list; the low bits are the bucket's number.
    static let end: UInt32 = 1 << 31
    static let mostSlots = 1 << 31 - 1
}

/// Records by slot number. It grows a chunk at a time: nothing is ever copied, and no growth takes longer than another.
struct TimerSlab: ~Copyable {
    private static let chunkBits: UInt32 = 12
    private static let chunkSize: UInt32 = 1 << chunkBits

    private var chunks: UnsafeMutablePointer<UnsafeMutablePointer<TimerRecord>>
    private var chunkCount = 0
    private var chunkCapacity = 16
    private var untouched: UInt32 = 0
    private var free = SlotLink.none

    init() {
        chunks = .allocate(capacity: chunkCapacity)
    }

    deinit {
        for index in 0..<chunkCount { chunks[index].deallocate() }
        chunks.deallocate()
    }

    /// How much memory the slab holds, in bytes.
    var footprint: Int {
        chunkCount * Int(Self.chunkSize) * MemoryLayout<TimerRecord>.stride + chunkCapacity * MemoryLayout<UInt>.stride
    }

    @inline(__always)
    subscript(slot: UInt32) -> UnsafeMutablePointer<TimerRecord> {
        chunks[Int(slot >> Self.chunkBits)] + Int(slot & (Self.chunkSize - 1))
    }

    @inline(__always)
    func holds(_ id: TimerID) -> Bool {
        id.slot < untouched && self[id.slot].pointee.generation == id.generation
    }

    mutating func take(token: UInt) -> TimerID {
        if free != SlotLink.none { return reuse(free, token: token) }
        precondition(untouched < SlotLink.mostSlots, "a wheel holds at most 2,147,483,647 timers")
        if Int(untouched >> Self.chunkBits) == chunkCount { addChunk() }
        let slot = untouched
        untouched += 1
        self[slot].initialize(to: TimerRecord(token: token, generation: 0))
        return TimerID(slot: slot, generation: 0)
    }

    mutating func giveBack(_ slot: UInt32) {
        let record = self[slot]
        record.pointee.generation &+= 1
        record.pointee.previous = SlotLink.idle
        record.pointee.next = free
        free = slot
    }

    private mutating func reuse(_ slot: UInt32, token: UInt) -> TimerID {
        let record = self[slot]
        free = record.pointee.next
        let generation = record.pointee.generation
        record.pointee = TimerRecord(token: token, generation: generation)
        return TimerID(slot: slot, generation: generation)
    }

    private mutating func addChunk() {
        if chunkCount == chunkCapacity { growTable() }
        chunks[chunkCount] = .allocate(capacity: Int(Self.chunkSize))
        chunkCount += 1
    }

    private mutating func growTable() {
        let larger = UnsafeMutablePointer<UnsafeMutablePointer<TimerRecord>>.allocate(capacity: chunkCapacity * 2)
        larger.moveInitialize(from: chunks, count: chunkCount)
        chunks.deallocate()
        chunks = larger
        chunkCapacity *= 2
    }
}

// The memory of the wheel: one record a timer, in chunks that never move, reached by number.

/// Names one timer. Once the timer is gone, the name is stale and does nothing.
public struct TimerID: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
}

/// One timer's record: 32 bytes, so that two of them share a cache line and none needs two.
struct TimerRecord {
    /// When it fires; for a parked timer, the nanoseconds that are left.
    var time: Int64 = 0
    var place = TimerPlace()
    /// What its owner wants to be handed when it fires; the wheel never looks inside.
    var token: UInt
    /// How often this slot has been given back.
    var generation: UInt32
    /// The next timer of the same host, kept here for the host; in a free slot, the next free slot.
    var sibling = TimerSlab.none
}

/// What a timer is doing.
enum TimerStanding: UInt64 {
    /// Neither armed nor stopped with time left.
    case idle
    /// It fires at `time`.
    case armed
    /// It stands still, with `time` left.
    case parked
}

/// When a timer was armed among all others, what it is doing, and in which bucket it lies, in eight bytes.
struct TimerPlace {
    static let noBucket: UInt32 = 1 << 10 - 1
    private var bits = UInt64(Self.noBucket)

    var bucket: UInt32 {
        get { UInt32(truncatingIfNeeded: bits) & Self.noBucket }
        set { bits = bits & ~UInt64(Self.noBucket) | UInt64(newValue) }
    }

    var standing: TimerStanding {
        get { TimerStanding(rawValue: bits >> 10 & 3) ?? .idle }
        set { bits = bits & ~(3 << 10) | newValue.rawValue << 10 }
    }

    var isArmed: Bool { bits & (3 << 10) == TimerStanding.armed.rawValue << 10 }

    /// Grows with every arming or stopping of any timer: the order of arming, and a timer's generation.
    var sequence: UInt64 { bits >> 12 }

    @inline(__always)
    mutating func begin(_ standing: TimerStanding, sequence: UInt64) {
        bits = sequence << 12 | standing.rawValue << 10 | bits & UInt64(Self.noBucket)
    }
}

/// Records by slot number. It grows a chunk at a time: nothing is ever copied, and no growth takes longer than another.
struct TimerSlab: ~Copyable {
    /// No slot.
    static let none = UInt32.max

    private static let chunkBits: UInt32 = 12
    private static let chunkSize: UInt32 = 1 << chunkBits

    private var chunks: UnsafeMutablePointer<UnsafeMutablePointer<TimerRecord>>
    private var chunkCount = 0
    private var chunkCapacity = 16
    /// Slots that have been used at least once.
    private(set) var used: UInt32 = 0
    private var free = Self.none

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
        id.slot < used && self[id.slot].pointee.generation == id.generation
    }

    func id(of slot: UInt32) -> TimerID {
        TimerID(slot: slot, generation: self[slot].pointee.generation)
    }

    /// A slot to use. One that was used before may still be listed in a bucket: the wheel is lazy.
    mutating func take(token: UInt) -> TimerID {
        if free != Self.none { return reuse(free, token: token) }
        precondition(used < TimerChain.end, "a wheel holds at most 2,147,483,648 timers")
        if Int(used >> Self.chunkBits) == chunkCount { addChunk() }
        let slot = used
        used += 1
        self[slot].initialize(to: TimerRecord(token: token, generation: 0))
        return TimerID(slot: slot, generation: 0)
    }

    mutating func giveBack(_ slot: UInt32) {
        let record = self[slot]
        record.pointee.generation &+= 1
        record.pointee.sibling = free
        free = slot
    }

    private mutating func reuse(_ slot: UInt32, token: UInt) -> TimerID {
        let record = self[slot]
        free = record.pointee.sibling
        record.pointee.sibling = Self.none
        record.pointee.token = token
        return TimerID(slot: slot, generation: record.pointee.generation)
    }

    private mutating func addChunk() {
        if chunkCount == chunkCapacity { growTable() }
        // On the borders of cache lines: what malloc gives by itself lies askew, and every other record would be in two lines.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Int(Self.chunkSize) * MemoryLayout<TimerRecord>.stride, alignment: 64)
        chunks[chunkCount] = memory.bindMemory(to: TimerRecord.self, capacity: Int(Self.chunkSize))
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

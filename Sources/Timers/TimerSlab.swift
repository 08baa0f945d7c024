// The wheel's memory: one record per timer, by number.

import Memory

/// Identifies a timer. Once the timer is gone, the id is stale and has no effect.
public struct TimerID: Hashable, Sendable {
    package let slot: UInt32
    let generation: UInt32
}

/// One timer's record: 32 bytes, so that two of them share a cache line and none needs two.
struct TimerRecord {
    /// When it fires; for a parked timer, the nanoseconds that are left.
    var time: Int64 = 0
    var place = TimerPlace()
    /// Handed to its owner when it fires; opaque to the wheel.
    var token: UInt
    /// How often this slot has been given back.
    var generation: UInt32
    /// The next timer of the same host, kept here for the host; in a free slot, the next free slot.
    var sibling = TimerSlab.none
}

/// A timer's record before the timer was started again in place.
@usableFromInline
struct TimerRenewal {
    @usableFromInline let host: Borrowed<TimerHost>
    let slot: UInt32
    let time: Int64
    let place: TimerPlace
    let generation: UInt32
    /// The wheel's number of armings.
    let armings: UInt64
    /// The record's sequence after that.
    let sequence: UInt64
}

extension TimerRecord {
    /// Arms the timer, in the bucket that it is in. Returns its place before.
    mutating func arm(at deadline: Instant, _ sequence: UInt64) -> TimerPlace {
        let before = place
        time = deadline.nanoseconds
        place.begin(.armed, sequence: sequence)
        return before
    }

    /// Its slot is used again.
    fileprivate mutating func begin(token: UInt) -> (generation: UInt32, nextFree: UInt32) {
        let nextFree = sibling
        (self.token, sibling) = (token, TimerSlab.none)
        return (generation, nextFree)
    }

    /// Its slot is free.
    fileprivate mutating func end(nextFree: UInt32) {
        generation &+= 1
        sibling = nextFree
    }
}

package enum TimerStatus: UInt64 {
    /// Not armed and not stopped with time left.
    case idle
    /// It fires at `time`.
    case armed
    /// It is stopped, with `time` left.
    case parked
}

/// A timer's arming order, phase and bucket, packed into eight bytes.
struct TimerPlace {
    static let noBucket: UInt32 = 1 << 10 - 1
    private var bits = UInt64(Self.noBucket)

    var bucket: UInt32 {
        get { UInt32(truncatingIfNeeded: bits) & Self.noBucket }
        set { bits = bits & ~UInt64(Self.noBucket) | UInt64(newValue) }
    }

    var standing: TimerStatus {
        get { TimerStatus(rawValue: bits >> 10 & 3) ?? .idle }
        set { bits = bits & ~(3 << 10) | newValue.rawValue << 10 }
    }

    var isArmed: Bool { bits & (3 << 10) == TimerStatus.armed.rawValue << 10 }

    /// Grows with every arming or stopping of any timer: the order of arming, and a timer's generation.
    var sequence: UInt64 { bits >> 12 }

    mutating func begin(_ standing: TimerStatus, sequence: UInt64) {
        bits = sequence << 12 | standing.rawValue << 10 | bits & UInt64(Self.noBucket)
    }
}

/// Records by slot number, and which slots are free.
struct TimerSlab: ~Copyable {
    static let none = UInt32.max

    private(set) var records = Chunks<TimerRecord>()

    /// Gives the memory of its records back: the compiler calls no deinit of a structure like theirs from another module.
    mutating func freeMemory() { records.removeAll() }

    /// Slots that have been used at least once.
    private(set) var used: UInt32 = 0
    private var free = Self.none

    /// How much memory the slab holds, in bytes.
    var footprint: Int { records.footprint }

    func holds(_ id: TimerID) -> Bool {
        id.slot < used && records[id.slot].generation == id.generation
    }

    func id(of slot: UInt32) -> TimerID {
        TimerID(slot: slot, generation: records[slot].generation)
    }

    /// Takes a free slot. A reused one may still be listed in a bucket: the wheel is lazy.
    mutating func allocateSlot(token: UInt) -> TimerID {
        if free != Self.none { return reuse(free, token: token) }
        precondition(used < TimerChain.end, "a wheel holds at most 2,147,483,648 timers")
        let slot = used
        if slot % Chunks<TimerRecord>.size == 0 { records.makeRoom(for: slot) }
        used += 1
        records[slot] = TimerRecord(token: token, generation: 0)
        return TimerID(slot: slot, generation: 0)
    }

    mutating func recycle(_ slot: UInt32) {
        records[slot].end(nextFree: free)
        free = slot
    }

    private mutating func reuse(_ slot: UInt32, token: UInt) -> TimerID {
        let (generation, nextFree) = records[slot].begin(token: token)
        free = nextFree
        return TimerID(slot: slot, generation: generation)
    }
}

// A hierarchical timing wheel that is exact to the nanosecond: eleven levels of 64 buckets, each level 64 times as coarse
// as the one below it. Hand-written and not libevent's, because it runs on virtual time too, and because a random re-arm among a million timers costs
// a fraction of its cost in a heap (`make bench` shows how much).
//
// A timer is listed in the finest level that reaches its deadline with 64 buckets, and moves to finer ones as the hand comes nearer. The wheel is
// lazy, because with a million timers the cost is cache misses. A cancelled timer stays listed until the hand passes, and so does one that is rearmed
// for later, so that both operations touch one record. Freed slots are reused first, in any bucket that lists them.

import Memory

/// Timers by deadline. It has no clock and no callbacks: its owner takes out due timers one by one.
package struct TimerWheel: ~Copyable {
    /// A timer that was due and has been taken out; its slot is still its owner's.
    package struct Expired {
        package let token: UInt
        package let deadline: Instant
    }

    var slab = TimerSlab()
    /// The ends of timers that are armed for something earlier.
    var ends = MilestoneEnds()
    private var buckets = TimerBuckets()
    private var lastSequence: UInt64 = 0
    /// No armed timer's deadline lies before it.
    private var earliest = Instant.never
    /// The timers that fire at the hand.
    private var due = DueTimers()
    package private(set) var armedCount = 0
    package private(set) var armings: UInt64 = 0

    package init() {}

    /// The memory that the wheel holds, in bytes.
    package var footprint: Int { slab.footprint + buckets.footprint }

    // MARK: For the owner

    /// A slot for a timer that is not armed yet.
    package mutating func add(token: UInt) -> TimerID {
        slab.allocateSlot(token: token)
    }

    /// The next timer that is due at `now`, in order of deadline and then of arming; nil if no timer is due. It also returns nil once `moves` timers
    /// have been moved between buckets; `isCollecting` then says that there is more to do.
    package mutating func popDue(at now: Instant, _ moves: inout Int) -> Expired? {
        guard armedCount > 0, now >= earliest else { return nil }
        while true {
            if buckets.isEmptying {
                guard buckets.empty(in: slab, &due, atMost: &moves) else { return nil }
                due.finish()
            }
            if let expired = popCollected() { return expired }
            guard buckets.moveHand(upTo: now.key) else { break }
        }
        buckets.moveHand(past: now.key)
        earliest = armedCount == 0 ? .never : buckets.earliestWake(in: slab)
        return nil
    }

    /// Whether timers are still to be moved before the next one can fire.
    package var isCollecting: Bool { buckets.isEmptying && armedCount > 0 }

    /// The next collected timer that has not been cancelled or rearmed since.
    private mutating func popCollected() -> Expired? {
        while let next = due.popFirst() {
            let record = slab.records[next.slot]
            guard record.place.isArmed, record.place.sequence == next.sequence else { continue }
            armedCount -= 1
            slab.records[next.slot].place.standing = .idle
            return Expired(token: record.token, deadline: Instant(nanoseconds: record.time))
        }
        return nil
    }

    /// Takes out an armed timer before its turn.
    mutating func removeArmed(slot: UInt32) -> Expired? {
        guard let deadline = deadline(ofSlot: slot) else { return nil }
        // A new number: it may be among those that have been collected already.
        begin(.idle, slot)
        return Expired(token: slab.records[slot].token, deadline: deadline)
    }

    /// When to call `popDue` again: never later than the next deadline; earlier only where timers must move to
    /// finer buckets first (a handful of times in a timer's life) or where the timer that it was meant for is gone. Never
    /// when nothing is armed.
    package var nextWake: Instant? {
        armedCount == 0 ? nil : earliest
    }

    // MARK: By slot, unchecked

    /// Arms or rearms a timer. Among equal deadlines, the one that was armed first fires first.
    @inline(__always)
    package mutating func arm(slot: UInt32, at deadline: Instant) {
        lastSequence &+= 1
        arm(slot, at: deadline, lastSequence)
    }

    /// Gives the timer a new number, and changes nothing else: it is not counted as another arming.
    mutating func renumber(slot: UInt32) {
        let (place, time) = (slab.records[slot].place, slab.records[slot].time)
        guard place.isArmed else { return begin(place.standing, slot) }
        arm(slot: slot, at: Instant(nanoseconds: time))
        armings &-= 1
    }

    /// Arms a timer that has just been taken out again, as the same arming: it was due for a milestone, and continues.
    mutating func rearm(slot: UInt32, at deadline: Instant) {
        arm(slot, at: deadline, slab.records[slot].place.sequence)
    }

    @inline(__always)
    private mutating func arm(_ slot: UInt32, at deadline: Instant, _ sequence: UInt64) {
        if armedCount == 0 { earliest = .never }
        armings &+= 1
        let before = slab.records[slot].arm(at: deadline, sequence)
        if !before.isArmed { armedCount &+= 1 }
        if buckets.mustMove(from: before.bucket, to: deadline.key) {
            buckets.list(slot, &slab.records[slot], for: deadline.key, in: slab)
        }
        if deadline < earliest { earliest = deadline }
    }

    /// The same for a paused timer.
    mutating func rearm(slot: UInt32, parkedWith left: Int64) {
        let sequence = slab.records[slot].place.sequence
        slab.records[slot].place.begin(.parked, sequence: sequence)
        slab.records[slot].time = left
    }

    /// Starts a timer again with this much left; if it is frozen, it keeps that. Its id is stale from here on.
    @inline(__always)
    mutating func renew(slot: UInt32, left: Int64, at now: Instant, of host: TimerHost) -> TimerRenewal {
        let (record, armings) = (slab.records[slot], armings)
        slab.records[slot].generation &+= 1
        if host.isFrozen { park(slot: slot, left: left) } else { arm(slot: slot, at: now.advanced(byNanoseconds: left)) }
        return TimerRenewal(
            host: Borrowed(host), slot: slot, time: record.time, place: record.place, generation: record.generation,
            armings: armings,
            sequence: lastSequence)
    }

    /// Restores the record from before the timer was renewed; false if it has been paused or extended since.
    mutating func undo(_ renewal: TimerRenewal) -> Bool {
        let slot = renewal.slot
        guard slab.records[slot].place.sequence == renewal.sequence else { return false }
        slab.records[slot].generation = renewal.generation
        restore(slot: slot, to: renewal.place, at: renewal.time)
        armings = renewal.armings
        return true
    }

    /// Restores an earlier place and time of a timer.
    mutating func restore(slot: UInt32, to place: TimerPlace, at time: Int64) {
        disarm(slot: slot, as: .idle)
        slab.records[slot].place.begin(place.isArmed ? .idle : place.standing, sequence: place.sequence)
        if place.isArmed {
            rearm(slot: slot, at: Instant(nanoseconds: time))
        } else {
            slab.records[slot].time = time
        }
    }

    /// Stops a timer and keeps how much is left of it.
    mutating func park(slot: UInt32, left: Int64) {
        begin(.parked, slot)
        slab.records[slot].time = left
    }

    /// Disarms the timer, with a new number.
    mutating func begin(_ standing: TimerStatus, _ slot: UInt32) {
        disarm(slot: slot, as: standing)
        lastSequence &+= 1
        slab.records[slot].place.begin(standing, sequence: lastSequence)
    }

    /// Gives a timer's slot back; its id is stale from here on.
    mutating func remove(slot: UInt32) {
        if ends.isUsed { ends.remove(slot) }
        disarm(slot: slot, as: .idle)
        slab.recycle(slot)
    }

    /// When the timer fires, if it is armed.
    func deadline(ofSlot slot: UInt32) -> Instant? {
        let record = slab.records[slot]
        return record.place.isArmed ? Instant(nanoseconds: record.time) : nil
    }

    /// The timer's remaining time in nanoseconds; nil once it has fired and will not fire again.
    func left(inSlot slot: UInt32, at now: Instant) -> Int64? {
        let (place, time) = (slab.records[slot].place, slab.records[slot].time)
        if place.isArmed { return max(0, Instant(nanoseconds: time).nanoseconds(since: now)) }
        return place.standing == .parked ? time : nil
    }

    /// Disarms the timer in any bucket or state.
    package mutating func disarm(slot: UInt32, as standing: TimerStatus) {
        armedCount &-= slab.records[slot].disarm(as: standing)
    }
}

extension Instant {
    /// Instants, ordered as unsigned numbers.
    var key: UInt64 { UInt64(bitPattern: nanoseconds) ^ (1 << 63) }

    init(key: UInt64) {
        self.init(nanoseconds: Int64(bitPattern: key ^ (1 << 63)))
    }
}

extension TimerRecord {
    /// Disarms it; returns how many fewer timers are armed: 1 or 0.
    mutating func disarm(as standing: TimerStatus) -> Int {
        let fewer = place.isArmed ? 1 : 0
        place.standing = standing
        return fewer
    }

    /// The deadline of an armed timer.
    var key: UInt64 { Instant(nanoseconds: time).key }
}

// Sessions by slot and by name. Its layout decides how much memory a million sessions take, and how fast an event finds one.

import GameFlow
import Memory

/// One session's record: 32 bytes, so that two fit a cache line and none straddles one.
struct SessionRecord: BitwiseCopyable {
    /// Retained while the record is in use; nil in a free one.
    fileprivate(set) var machine: Borrowed<AnyMachine>?
    fileprivate(set) var name: SessionName

    /// The short number of the newest entry of its history.
    var latest: UInt32 {
        get { UInt32(truncatingIfNeeded: name.spare) & History.noShort }
        set { name.spare = name.spare & ~UInt64(History.noShort) | UInt64(newValue) }
    }

    /// Distinguishes it from earlier sessions of the same name.
    var life: Life {
        get { Life(truncatingIfNeeded: name.spare >> History.shortBits) }
        set { name.spare = name.spare & UInt64(History.noShort) | UInt64(newValue) << History.shortBits }
    }
}

/// Owns the records and the machines in them.
package struct SessionTable: ~Copyable {
    /// Capacity of the index.
    package static let maxSessions = 1 << 24 - 1
    /// The number of slots that may be used; fewer in tests.
    var maxSlots = SessionTable.maxSessions
    package static let noSlot = UInt32.max

    private(set) var records = Chunks(
        blank: SessionRecord(machine: nil, name: SessionName(UnsafeRawBufferPointer(start: nil, count: 0))))
    /// The number of slots that have ever been used.
    package private(set) var used: UInt32 = 0
    private var free: [UInt32] = []
    /// Slots skipped while sessions were restored, in ascending order. Chunks that are wholly skipped take no memory.
    private var gaps: [Range<UInt32>] = []
    private var skipped = 0
    /// Slots of sessions that were set aside: other sessions cannot get them.
    private var reserved = 0
    private(set) var index = SessionIndex()
    /// How often sessions were added and removed, now and when requests last got hints.
    private(set) var changes: UInt64 = 0
    var hintedAt: UInt64 = .max
    private let seed = UInt64.random(in: .min ... .max)

    /// Gives back all machines, and the memory of their records: the compiler calls no deinit of a structure like this from another module.
    mutating func freeMemory() {
        for slot in 0..<used {
            guard let machine = records[slot].machine else { continue }
            records[slot].name.free()
            machine.release()
        }
        used = 0
        records.removeAll()
    }

    package var count: Int { Int(used) - free.count - skipped - reserved }

    /// Whether there is no slot for another session.
    var isFull: Bool { Int(used) - free.count - skipped >= maxSlots }

    package func find(_ name: ByteView) -> UInt32? { find(name, hash(name)) }

    private func find(_ name: ByteView, _ hash: UInt64) -> UInt32? {
        var candidates = index.candidates(hash)
        while let slot = candidates.next() {
            if records[slot].name.equals(name.bytes) { return slot }
        }
        return nil
    }

    /// Whether this is still the slot of the name of a request, to which `prefetch` has given it. It is until a session is added or removed.
    func isRight(hint slot: UInt32) -> Bool { slot != Self.noSlot && hintedAt == changes }

    /// Returns the new session's slot. The name must be free.
    package mutating func add(_ name: ByteView, _ machine: AnyMachine, _ life: Life) -> UInt32 {
        let slot = free.popLast() ?? takeSkippedSlot() ?? takeNewSlot()
        insert(name, machine, at: slot, life, hash(name))
        return slot
    }

    private mutating func insert(_ name: ByteView, _ machine: AnyMachine, at slot: UInt32, _ life: Life, _ hash: UInt64) {
        let reference = Borrowed(machine)
        reference.retain()
        records[slot] = SessionRecord(machine: reference, name: SessionName(name.bytes))
        records[slot].life = life
        machine.tag = slot
        machine.stamp = LifeCounter.stamp(of: life)
        machine.kind.statistics.enter(machine.stateIndex, at: machine.timekeeper.now)
        if index.isFull(for: hash) { growIndex(for: hash) }
        index.insert(slot, hash)
        changes &+= 1
    }

    /// The proof that a name is free.
    package struct Vacancy {
        fileprivate let hash: UInt64
    }

    /// Sizes the index before sessions are restored, so that it need not grow and rehash step by step.
    package func makeRoom(for slots: Int) { index.makeRoom(for: min(slots, Self.maxSessions)) }

    /// Nil if the name is taken.
    func vacancy(for name: ByteView) -> Vacancy? {
        let hash = hash(name)
        return find(name, hash) == nil ? Vacancy(hash: hash) : nil
    }

    /// Adds a session in a given slot, beyond all used so far: sessions are restored in the order of their slots.
    mutating func restore(_ name: ByteView, _ machine: AnyMachine, at slot: UInt32, _ life: Life, _ vacancy: Vacancy) {
        precondition(slot >= used && slot < Self.maxSessions, "sessions are restored in ascending order of slots")
        if slot > used { skip(to: slot) }
        _ = takeNewSlot()
        insert(name, machine, at: slot, life, vacancy.hash)
    }

    /// Releases the machine, which cancels its timers.
    package mutating func remove(_ slot: UInt32) {
        if clear(slot) { free.append(slot) }
    }

    /// False if there is no session in the slot.
    private mutating func clear(_ slot: UInt32) -> Bool {
        guard let machine = records[slot].machine else { return false }
        index.remove(slot, hash(at: slot)) { hash(at: $0) }
        Self.countDeparture(of: machine)
        records[slot].machine = nil
        records[slot].name.free()
        changes &+= 1
        machine.release()
        return true
    }

    /// Removes the machine from its kind's statistics.
    private static func countDeparture(of machine: Borrowed<AnyMachine>) {
        machine.with { $0.kind.statistics.leave($0.stateIndex, at: $0.timekeeper.now) }
    }

    // MARK: Flows that change

    /// Another machine runs the session from here on.
    func replace(_ slot: UInt32, with machine: AnyMachine) {
        guard let old = records[slot].machine else { return }
        let new = Borrowed(machine)
        new.retain()
        records[slot].machine = new
        machine.tag = slot
        machine.stamp = LifeCounter.stamp(of: records[slot].life)
        Self.countDeparture(of: old)
        machine.kind.statistics.enter(machine.stateIndex, at: machine.timekeeper.now)
        old.release()
    }

    /// Releases the machine, and keeps the slot until the session is reinstated.
    mutating func setAside(_ slot: UInt32) {
        if clear(slot) { reserved += 1 }
    }

    /// A session that was set aside is back in its slot.
    mutating func reinstate(_ name: ByteView, _ machine: AnyMachine, at slot: UInt32, _ life: Life, latest: UInt32) {
        reserved -= 1
        insert(name, machine, at: slot, life, hash(name))
        records[slot].latest = latest
    }

    /// A session that was set aside is not reinstated.
    mutating func freeReserved(_ slot: UInt32) {
        reserved -= 1
        free.append(slot)
    }

    package func hash(_ name: ByteView) -> UInt64 { name.hash(seed: seed) }

    private mutating func takeNewSlot() -> UInt32 {
        records.makeRoom(for: used)
        used += 1
        return used - 1
    }

    private mutating func skip(to slot: UInt32) {
        gaps.append(used..<slot)
        skipped += Int(slot - used)
        records.skip(to: slot)
        used = slot
    }

    private mutating func takeSkippedSlot() -> UInt32? {
        guard let gap = gaps.popLast() else { return nil }
        let slot = gap.upperBound - 1
        if slot > gap.lowerBound { gaps.append(gap.lowerBound..<slot) }
        skipped -= 1
        records.makeRoom(for: slot)
        return slot
    }

    private func growIndex(for hash: UInt64) { index.grow(for: hash) { self.hash(at: $0) } }

    private func hash(at slot: UInt32) -> UInt64 {
        records[slot].name.withBytes { ByteView($0).hash(seed: seed) }
    }
}

/// Tells a session from earlier ones of its name: each session that begins gets the next number. It has 28 bits, to fit into memory
/// that the name leaves over; a number comes again after 268 million sessions, long after the first one's history is gone.
package typealias Life = UInt32

/// Gives each new session its life.
package struct LifeCounter {
    package static let maxLife: Life = 1 << 28 - 1
    /// A store's key for the last life given out.
    package static let lastKey = "lives"
    /// The last life given out. No session has life 0.
    package private(set) var last: Life

    package init(after last: Life = 0) {
        self.last = last & Self.maxLife
    }

    /// The life in five bits, never zero: the flight mark has no room for more.
    package static func stamp(of life: Life) -> UInt8 { UInt8(1 + life % 31) }

    package mutating func next() -> Life {
        last = last == Self.maxLife ? 1 : last + 1
        return last
    }
}

// Sessions by their places and by their names' bytes: what a million of them need in memory, and what an event needs to find one.

import GameFlow
import RESP

/// One session's record: 32 bytes, so that two of them share a cache line and none needs two.
struct SessionRecord {
    /// Held for as long as the record is in use; nil in one that is not.
    fileprivate(set) var machine: Unmanaged<AnyMachine>?
    fileprivate(set) var name: SessionName

    /// The short number of the newest line of its history.
    var latest: UInt32 {
        get { UInt32(truncatingIfNeeded: name.spare) & History.noShort }
        set { name.spare = name.spare & ~UInt64(History.noShort) | UInt64(newValue) }
    }

    /// Which life of its name it is.
    var life: Life {
        get { Life(truncatingIfNeeded: name.spare >> History.shortBits) }
        set { name.spare = name.spare & UInt64(History.noShort) | UInt64(newValue) << History.shortBits }
    }
}

/// Owns the records, in chunks that never move, and the machines in them.
package struct SessionTable: ~Copyable {
    /// More would not fit into the index.
    package static let mostSessions = 1 << 24 - 1
    /// No place.
    package static let nowhere = UInt32.max

    private static let chunkBits: UInt32 = 12
    private static let chunkSize = 1 << Int(chunkBits)

    private var chunks: [UnsafeMutablePointer<SessionRecord>] = []
    /// Places that have been used at least once.
    package private(set) var used: UInt32 = 0
    private var free: [UInt32] = []
    /// Places that were left out when sessions came back, in ascending order: whole chunks of them take no memory.
    private var gaps: [Range<UInt32>] = []
    private var skipped = 0
    private(set) var index = SessionIndex()
    private let seed = UInt64.random(in: .min ... .max)

    deinit {
        for place in 0..<used {
            self[place].pointee.machine?.release()
            if self[place].pointee.machine != nil { self[place].pointee.name.free() }
        }
        for chunk in chunks where chunk != Self.vacant { chunk.deallocate() }
    }

    package var count: Int { Int(used) - free.count - skipped }

    @inline(__always)
    subscript(place: UInt32) -> UnsafeMutablePointer<SessionRecord> {
        chunks[Int(place >> Self.chunkBits)] + (Int(place) & (Self.chunkSize - 1))
    }

    package func find(_ name: Argument) -> UInt32? {
        index.find(hash(name)) { self[$0].pointee.name.equals(name.bytes) }
    }

    /// The same, where `place` may be right already.
    @inline(__always)
    package func find(_ name: Argument, near place: UInt32) -> UInt32? {
        if place < used, self[place].pointee.machine != nil, self[place].pointee.name.equals(name.bytes) { return place }
        return find(name)
    }

    /// The place of the new session. There must be none of that name.
    package mutating func add(_ name: Argument, _ machine: AnyMachine, _ life: Life) -> UInt32 {
        let place = free.popLast() ?? takeSkippedPlace() ?? takeNewPlace()
        put(name, machine, at: place, life, hash(name))
        return place
    }

    private mutating func put(_ name: Argument, _ machine: AnyMachine, at place: UInt32, _ life: Life, _ hash: UInt64) {
        self[place].initialize(to: SessionRecord(machine: .passRetained(machine), name: SessionName(name.bytes)))
        self[place].pointee.life = life
        machine.tag = place
        machine.stamp = LifeCounter.stamp(of: life)
        if index.isFull(for: hash) { growIndex(for: hash) }
        index.insert(place, hash)
    }

    /// What shows that a name is free.
    package struct Vacancy {
        fileprivate let hash: UInt64
    }

    /// Before sessions come back, if it is known how many places they take: names are sorted in once, and not each time that there
    /// are twice as many.
    package func makeRoom(for places: Int) { index.makeRoom(for: min(places, Self.mostSessions)) }

    /// Nil if there is a session of that name.
    func vacancy(for name: Argument) -> Vacancy? {
        let hash = hash(name)
        let taken = index.find(hash) { self[$0].pointee.name.equals(name.bytes) }
        return taken == nil ? Vacancy(hash: hash) : nil
    }

    /// The same at a place beyond all that have been used yet: sessions come back in the order of their places.
    mutating func restore(_ name: Argument, _ machine: AnyMachine, at place: UInt32, _ life: Life, _ vacancy: Vacancy) {
        precondition(place >= used && place < Self.mostSessions, "who restores has looked at the places")
        if place > used { skip(to: place) }
        _ = takeNewPlace()
        put(name, machine, at: place, life, vacancy.hash)
    }

    /// The machine is let go of, and with it all its timers.
    package mutating func remove(_ place: UInt32) {
        let record = self[place]
        guard let machine = record.pointee.machine else { return }
        index.remove(place, hash(at: place)) { hash(at: $0) }
        record.pointee.machine = nil
        record.pointee.name.free()
        free.append(place)
        machine.release()
    }

    package func hash(_ name: Argument) -> UInt64 { name.hash(seed: seed) }

    private mutating func takeNewPlace() -> UInt32 {
        if Int(used) == chunks.count * Self.chunkSize { chunks.append(Self.newChunk()) }
        if chunks[Int(used >> Self.chunkBits)] == Self.vacant { chunks[Int(used >> Self.chunkBits)] = Self.newChunk() }
        used += 1
        return used - 1
    }

    private mutating func skip(to place: UInt32) {
        gaps.append(used..<place)
        skipped += Int(place - used)
        while chunks.count * Self.chunkSize < Int(place) { chunks.append(Self.vacant) }
        used = place
    }

    private mutating func takeSkippedPlace() -> UInt32? {
        guard let gap = gaps.popLast() else { return nil }
        let place = gap.upperBound - 1
        if place > gap.lowerBound { gaps.append(gap.lowerBound..<place) }
        skipped -= 1
        if chunks[Int(place >> Self.chunkBits)] == Self.vacant { chunks[Int(place >> Self.chunkBits)] = Self.newChunk() }
        return place
    }

    /// What stands for every chunk in which there is nobody. It is only read.
    private nonisolated(unsafe) static let vacant = newChunk()

    private static func newChunk() -> UnsafeMutablePointer<SessionRecord> {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: chunkSize * MemoryLayout<SessionRecord>.stride, alignment: 64)
        let chunk = memory.bindMemory(to: SessionRecord.self, capacity: chunkSize)
        let nobody = SessionRecord(machine: nil, name: SessionName(UnsafeRawBufferPointer(start: nil, count: 0)))
        chunk.initialize(repeating: nobody, count: chunkSize)
        return chunk
    }

    private mutating func growIndex(for hash: UInt64) {
        index.grow(for: hash) { [chunks, seed] place in
            let record = chunks[Int(place >> Self.chunkBits)] + (Int(place) & (Self.chunkSize - 1))
            return record.pointee.name.withBytes { Argument($0).hash(seed: seed) }
        }
    }

    private func hash(at place: UInt32) -> UInt64 {
        self[place].pointee.name.withBytes { Argument($0).hash(seed: seed) }
    }
}

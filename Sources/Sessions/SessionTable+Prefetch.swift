// Prefetches what the next requests need. Among a hundred thousand sessions each step from a name to a session's timer is a cache
// miss that waits for the one before; done for many requests at once, the misses overlap.

import CLinux
import GameFlow
import Memory

extension SessionTable {
    /// Prefetches the sessions of these names, as far as there are any. Each gets the slot of its session as a hint.
    package mutating func prefetch(_ names: Span<ByteView>, hints: inout MutableSpan<UInt32>) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: names.count) { hashes in
            for number in names.indices {
                hashes[number] = hash(names[number])
                gamed_prefetch(index.bucketAddress(of: hashes[number]))
            }
            for number in names.indices {
                let slot = names[number].isEmpty ? Self.noSlot : index.likely(hashes[number]) ?? Self.noSlot
                hints[number] = slot
                if slot != Self.noSlot { gamed_prefetch(records.place(of: slot)) }
            }
        }
        for number in names.indices { fetchSession(at: hints[number]) }
        for number in names.indices {
            let slot = hints[number]
            guard slot != Self.noSlot else { continue }
            if !records[slot].name.equals(names[number].bytes) { hints[number] = Self.noSlot }
            fetchTimerRecord(of: records[slot].machine)
        }
        for number in names.indices { fetchTimer(of: machine(at: hints[number])) }
        hintedAt = changes
    }

    /// Prefetches the index for a name that will be looked up soon.
    package func prefetch(_ name: ByteView) { gamed_prefetch(index.bucketAddress(of: hash(name))) }

    /// Bytes of a machine with a small state, as `malloc` allocates it.
    private static let machineSize = 80

    /// Prefetches the memory that an event needs next, once its session is found: the end of the machine, and the record of its timer.
    func prefetchTimer(of machine: Borrowed<AnyMachine>) {
        gamed_prefetch(machine.address + Self.machineSize - 1)
        fetchTimerRecord(of: machine)
    }

    /// An object can begin anywhere in a cache line, so its last byte is fetched too.
    private func fetch(_ object: UnsafeRawPointer, size: Int) {
        var line = object
        while line < object + size {
            gamed_prefetch(line)
            line += 64
        }
        gamed_prefetch(object + size - 1)
    }

    /// Its machine, and its name if that lies elsewhere.
    private func fetchSession(at slot: UInt32) {
        guard slot != Self.noSlot, let machine = records[slot].machine else { return }
        fetch(machine.address, size: Self.machineSize)
        if let name = records[slot].name.address { fetch(name, size: 40) }
    }

    private func machine(at slot: UInt32) -> Borrowed<AnyMachine>? {
        slot == Self.noSlot ? nil : records[slot].machine
    }

    private func fetchTimerRecord(of machine: Borrowed<AnyMachine>?) {
        machine?.with { $0.youngestRecord.map { gamed_prefetch($0) } }
    }

    private func fetchTimer(of machine: Borrowed<AnyMachine>?) {
        // The request will release it, so the allocator's header before it is fetched too.
        machine?.with { $0.youngestTimer.map { fetch($0 - 8, size: 48) } }
    }
}

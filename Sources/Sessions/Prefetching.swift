// Prefetches what the next requests need. Among a hundred thousand sessions each step from a name to a session's timer is a cache
// miss that waits for the one before; done for many requests at once, the misses overlap.

import CLinux
import GameFlow
import Memory
import RESP

extension SessionTable {
    /// Takes the second word for a session's name, as it is in nearly every command; a wrong guess costs only a prefetch. A request's hint is
    /// the slot of that session.
    package mutating func prefetch(_ batch: RequestBatch) {
        // A single request has no other misses to overlap with.
        guard batch.count > 1 else { return batch.setHint(Self.noSlot, at: 0) }
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: batch.count) { hashes in
            for number in 0..<batch.count {
                let words = batch.words(number)
                hashes[number] = words.count > 1 ? hash(words[1]) : 0
                gamed_prefetch(index.bucketAddress(of: hashes[number]))
            }
            for number in 0..<batch.count {
                // A request without a second word has no hash.
                let slot = batch.words(number).count > 1 ? index.likely(hashes[number]) ?? Self.noSlot : Self.noSlot
                batch.setHint(slot, at: number)
                if slot != Self.noSlot { gamed_prefetch(records.place(of: slot)) }
            }
        }
        for number in 0..<batch.count { fetchSession(at: batch.hint(at: number)) }
        for number in 0..<batch.count {
            let slot = batch.hint(at: number)
            guard slot != Self.noSlot else { continue }
            if !records[slot].name.equals(batch.words(number)[1].bytes) { batch.setHint(Self.noSlot, at: number) }
            fetchTimerRecord(of: records[slot].machine)
        }
        for number in 0..<batch.count { fetchTimer(of: machine(at: batch.hint(at: number))) }
        hintedAt = changes
    }

    /// Prefetches the index for a name that will be looked up soon.
    package func prefetch(_ name: Argument) { gamed_prefetch(index.bucketAddress(of: hash(name))) }

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
        fetch(machine.address, size: 80)
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

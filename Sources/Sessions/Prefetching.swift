// What the next requests will need from memory, fetched while there is still time. Among a hundred thousand sessions each step from
// a name to a session's timer is a cache miss, and each must wait for the one before; taken for many requests at once, they overlap.

import CLinux
import GameFlow
import RESP

extension SessionTable {
    /// Nearly every command names a session in its second word; where one does not, nothing is found and nothing is lost.
    package func prefetch(_ batch: RequestBatch) {
        // There is nothing to be gained by one alone.
        guard batch.count > 1 else { return batch.setHint(Self.noSlot, at: 0) }
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: batch.count) { hashes in
            for number in 0..<batch.count {
                let words = batch.words(number)
                hashes[number] = words.count > 1 ? hash(words[1]) : 0
                gamed_prefetch(index.bucketAddress(of: hashes[number]))
            }
            for number in 0..<batch.count {
                let slot = index.likely(hashes[number]) ?? Self.noSlot
                batch.setHint(slot, at: number)
                if slot != Self.noSlot { gamed_prefetch(self[slot]) }
            }
        }
        for number in 0..<batch.count { machine(at: batch.hint(at: number)).map { fetch($0.toOpaque(), size: 80) } }
        for number in 0..<batch.count { fetchTimerRecord(of: machine(at: batch.hint(at: number))) }
        for number in 0..<batch.count { fetchTimer(of: machine(at: batch.hint(at: number))) }
    }

    /// A session of this name will be looked for.
    package func prefetch(_ name: Argument) { gamed_prefetch(index.bucketAddress(of: hash(name))) }

    /// Memory from malloc begins anywhere in a line.
    private func fetch(_ object: UnsafeRawPointer, size: Int) {
        var line = object
        while line < object + size {
            gamed_prefetch(line)
            line += 64
        }
        gamed_prefetch(object + size - 1)
    }

    private func machine(at slot: UInt32) -> Unmanaged<AnyMachine>? {
        slot == Self.noSlot ? nil : self[slot].pointee.machine
    }

    private func fetchTimerRecord(of machine: Unmanaged<AnyMachine>?) {
        machine?._withUnsafeGuaranteedRef { $0.youngestRecord.map { gamed_prefetch($0) } }
    }

    private func fetchTimer(of machine: Unmanaged<AnyMachine>?) {
        // It will be let go of, and what is before it in memory is the allocator's.
        machine?._withUnsafeGuaranteedRef { $0.youngestTimer.map { fetch($0 - 8, size: 48) } }
    }
}

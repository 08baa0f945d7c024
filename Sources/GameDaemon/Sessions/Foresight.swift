// What the next requests will need from memory, fetched while there is still time. Among a hundred thousand sessions each step from
// a name to a session's timer is a cache miss, and each must wait for the one before; taken for many requests at once, they overlap.

import CEvent
import GameFlow
import RESP
import Timers

extension SessionTable {
    /// Nearly every command names a session in its second word; where one does not, nothing is found and nothing is lost.
    func foresee(_ batch: RequestBatch) {
        guard batch.count > 1 else { return }
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: batch.count) { hashes in
            for number in 0..<batch.count {
                hashes[number] = batch[number].count > 1 ? hash(batch[number][1]) : 0
                gamed_prefetch(index.slotAddress(of: hashes[number]))
            }
            for number in 0..<batch.count { record(likelyFor: hashes[number]).map { gamed_prefetch($0) } }
            for number in 0..<batch.count { machine(likelyFor: hashes[number]).map { fetch($0.toOpaque(), size: 96) } }
            for number in 0..<batch.count { fetchTimerRecord(of: machine(likelyFor: hashes[number])) }
            for number in 0..<batch.count { fetchTimer(of: machine(likelyFor: hashes[number])) }
        }
    }

    /// A session of this name will be looked for.
    func foresee(_ name: Argument) { gamed_prefetch(index.slotAddress(of: hash(name))) }

    /// Memory from malloc begins anywhere in a line.
    private func fetch(_ object: UnsafeRawPointer, size: Int) {
        var line = object
        while line < object + size {
            gamed_prefetch(line)
            line += 64
        }
        gamed_prefetch(object + size - 1)
    }

    private func record(likelyFor hash: UInt64) -> UnsafeMutablePointer<SessionRecord>? {
        index.likely(hash).map { self[$0] }
    }

    private func machine(likelyFor hash: UInt64) -> Unmanaged<AnyMachine>? {
        record(likelyFor: hash)?.pointee.machine
    }

    private func fetchTimerRecord(of machine: Unmanaged<AnyMachine>?) {
        machine?._withUnsafeGuaranteedRef { $0.youngestRecord.map { gamed_prefetch($0) } }
    }

    private func fetchTimer(of machine: Unmanaged<AnyMachine>?) {
        machine?._withUnsafeGuaranteedRef { $0.youngestTimer.map { fetch($0, size: 40) } }
    }
}

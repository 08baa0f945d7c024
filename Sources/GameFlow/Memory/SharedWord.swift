// A number in memory that can outlive the process.

import Synchronization

/// Eight bytes of mapped memory. Written atomically although by one thread only, since the compiler could otherwise omit a store just
/// before a trap.
@usableFromInline
package struct SharedWord: @unchecked Sendable {
    @usableFromInline let word: UnsafeMutablePointer<Atomic<UInt64>>

    /// The memory must be eight aligned bytes that outlive this.
    package init(at memory: UnsafeMutableRawPointer) {
        word = memory.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inlinable var value: UInt64 { word.pointee.load(ordering: .relaxed) }

    @inlinable func set(_ value: UInt64) { word.pointee.store(value, ordering: .relaxed) }
}

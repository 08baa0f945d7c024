// A number that lies where it outlives the process.

import Synchronization

/// Eight bytes of memory that somebody else maps. Written atomically, though one thread alone does: what is written just before a trap
/// would otherwise be left out by the compiler.
@usableFromInline
struct SharedWord: @unchecked Sendable {
    @usableFromInline let word: UnsafeMutablePointer<Atomic<UInt64>>

    /// In eight bytes that are aligned, and outlive this.
    init(at memory: UnsafeMutableRawPointer) {
        word = memory.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inlinable @inline(__always) var value: UInt64 { word.pointee.load(ordering: .relaxed) }

    @inlinable @inline(__always)
    func set(_ value: UInt64) { word.pointee.store(value, ordering: .relaxed) }
}

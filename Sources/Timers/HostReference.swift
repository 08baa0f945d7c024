// What others know of a host: where it is, and a number and a generation that say whether it still is there, looked up in memory that
// outlives every host. So a reference that is kept too long finds out, and neither copying it nor using it counts anything.

import Glibc
import Synchronization

/// Refers to a host without holding it, and knows when it is gone. It is for the thread that the host is on.
@usableFromInline
package struct HostReference {
    /// Only to be followed while the table has the generation. That the address is here and not there keeps an event from waiting for
    /// the table: the processor goes on while it is looked at.
    private let address: Borrowed<TimerHost>
    /// The number, and the generation above it.
    private let name: UInt64

    init(to host: TimerHost, _ number: UInt32) {
        address = Borrowed(host)
        name = UInt64(HostTable[number]) << 32 | UInt64(number)
    }

    /// The host; nil once it is gone.
    @inline(__always)
    var borrowed: Borrowed<TimerHost>? {
        UInt64(HostTable[UInt32(truncatingIfNeeded: name)]) == name >> 32 ? address : nil
    }

    /// The same, held.
    package var host: TimerHost? { borrowed?.object }
}

@available(*, unavailable)
extension HostReference: Sendable {}

/// The generations of all hosts by number: two bytes each, so that those of a million hosts stay near. A number is used again by
/// another host, and its memory is never freed, so that an old reference can still be looked up.
enum HostTable {
    private static let chunkBits: UInt32 = 16
    private static let chunkSize = 1 << Int(chunkBits)

    /// One pointer for each chunk that there can be; memory is taken as it is written.
    @exclusivity(unchecked)
    private nonisolated(unsafe) static var chunks: UnsafeMutablePointer<UnsafeMutablePointer<UInt16>>?

    private struct Numbers {
        /// Numbers that have been used at least once.
        var used: UInt32 = 0
        /// Those of them that no host has.
        var free: [UInt32] = []
    }

    /// Hosts are made and go on any thread.
    private static let numbers = Mutex(Numbers())

    /// The generation of the host that has the number.
    @inline(__always)
    private(set) static subscript(number: UInt32) -> UInt16 {
        get { chunks.unsafelyUnwrapped[Int(number >> chunkBits)][Int(number) & (chunkSize - 1)] }
        set { chunks.unsafelyUnwrapped[Int(number >> chunkBits)][Int(number) & (chunkSize - 1)] = newValue }
    }

    /// A number for a host that begins.
    static func add() -> UInt32 {
        numbers.withLock { $0.free.popLast() ?? newNumber(&$0) }
    }

    /// The host goes; references to it find none.
    static func remove(_ number: UInt32) {
        HostTable[number] += 1
        // A generation that could come round again is none: such a number is not used any more.
        guard HostTable[number] < .max else { return }
        numbers.withLock { $0.free.append(number) }
    }

    private static func newNumber(_ numbers: inout Numbers) -> UInt32 {
        precondition(numbers.used < TimerChain.end, "a process can begin 2,147,483,648 sessions at once")
        let number = numbers.used
        if Int(number) & (chunkSize - 1) == 0 { addChunk(number >> chunkBits) }
        numbers.used += 1
        return number
    }

    private static func addChunk(_ chunk: UInt32) {
        let all = chunks ?? .allocate(capacity: Int(TimerChain.end >> chunkBits))
        let generations = UnsafeMutablePointer<UInt16>.allocate(capacity: chunkSize)
        generations.initialize(repeating: 0, count: chunkSize)
        (all + Int(chunk)).initialize(to: generations)
        chunks = all
    }
}

/// A thread, to be compared with another one.
package struct ThreadIdentity: Equatable, Sendable {
    private let bits: UInt

    /// The thread that this is called on.
    package static var current: ThreadIdentity { ThreadIdentity(bits: UInt(pthread_self())) }
}

// Generational handles of hosts: a number and a generation, looked up in a table that outlives every host. A stale reference is detected. Copying or
// using a reference does not change a reference count.

import Memory
import Synchronization

/// Refers to a host without retaining it, and detects that it is gone. Only for the host's thread.
@usableFromInline
package struct HostReference {
    /// The number, with the generation above it. Typed as a pointer so that an optional takes no extra byte.
    private let bits: UnsafeRawPointer

    fileprivate init(_ name: HostName) {
        guard let bits = UnsafeRawPointer(bitPattern: name.bits) else { preconditionFailure("generations begin at 1") }
        self.bits = bits
    }

    /// The host; nil once it is gone.
    var borrowed: Borrowed<TimerHost>? {
        HostTable.host(named: HostName(bits: UInt(bitPattern: bits)))
    }

    /// The same, retained.
    package var host: TimerHost? { borrowed?.object }
}

@available(*, unavailable)
extension HostReference: Sendable {}

extension TimerHost {
    /// Refers to this host without retaining it.
    final var reference: HostReference { HostReference(HostTable.name(of: number)) }
}

/// A host's number, with the generation of that number in the upper bits.
private struct HostName {
    let bits: UInt
    var number: UInt32 { UInt32(truncatingIfNeeded: bits) }
}

/// All hosts by number. An entry is the host's address with the generation above it, packed into one word. A number is used again
/// by another host, and the table's memory is never freed, so that an old reference can still be looked up.
enum HostTable {
    private static let chunkBits: UInt32 = 16
    private static let chunkSize = 1 << Int(chunkBits)
    /// User space ends below it on every machine that Swift runs on.
    private static let addressBits: UInt = 48
    private static let addressMask: UInt = 1 << addressBits - 1

    /// One pointer for each chunk that there can be; memory is taken as it is written.
    @exclusivity(unchecked)
    private nonisolated(unsafe) static var chunks: UnsafeMutablePointer<UnsafeMutablePointer<UInt>>?

    private struct Numbers {
        /// Numbers that have been used at least once.
        var used: UInt32 = 0
        /// The free ones among these numbers.
        var free: [UInt32] = []
    }

    /// Hosts are created and destroyed on any thread.
    private static let numbers = Mutex(Numbers())

    private static func entry(_ number: UInt32) -> UnsafeMutablePointer<UInt> {
        chunks.unsafelyUnwrapped[Int(number >> chunkBits)] + Int(number) & (chunkSize - 1)
    }

    fileprivate static func host(named name: HostName) -> Borrowed<TimerHost>? {
        let entry = entry(name.number).pointee
        return (entry ^ name.bits) >> addressBits == 0 ? Borrowed(token: entry & addressMask) : nil
    }

    fileprivate static func name(of number: UInt32) -> HostName {
        HostName(bits: entry(number).pointee & ~addressMask | UInt(number))
    }

    /// Assigns a number to a new host.
    static func add(_ host: TimerHost) -> UInt32 {
        let number = numbers.withLock { $0.free.popLast() ?? newNumber(&$0) }
        entry(number).pointee |= Borrowed(host).token
        return number
    }

    /// Removes the host; references to it find nil.
    static func remove(_ number: UInt32) {
        let generation = entry(number).pointee >> addressBits + 1
        entry(number).pointee = generation << addressBits
        // A number with no generations left is retired: they must not wrap around.
        guard generation < UInt(UInt16.max) else { return }
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
        let entries = UnsafeMutablePointer<UInt>.allocate(capacity: chunkSize)
        entries.initialize(repeating: 1 << addressBits, count: chunkSize)
        (all + Int(chunk)).initialize(to: entries)
        chunks = all
    }
}

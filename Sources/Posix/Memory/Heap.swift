// The memory that the process has allocated, and the memory that it takes from the system.

import CLinux
import Glibc
import Synchronization

package enum Heap {
    /// Blocks from this size on are mapped, and so returned to the system when freed. By default glibc raises this threshold as large
    /// blocks are freed, and keeps them in a heap that small blocks fragment.
    private static let large = Int32(256 << 10)
    /// Unused memory that may remain at the heap's end.
    private static let spare = Int32(4 << 20)

    private static let gauge = Mutex(HeapGauge())

    /// Called once, when the process starts.
    package static func prepare() {
        mallopt(M_MMAP_THRESHOLD, large)
        mallopt(M_TRIM_THRESHOLD, spare)
    }

    /// Allocated and not freed, in bytes: now, or if the heap has many free blocks, when it was trimmed last.
    package static var used: Int { gauge.withLock { $0.used(measured) } }

    /// Resident memory, used or free, in bytes; without the program's own file.
    package static var resident: Int {
        let text = (try? SmallFile("/proc/self/statm").text()) ?? nil
        // The process's pages: all, resident, and file-backed.
        let pages = (text ?? "").split(separator: " ").compactMap { Int($0) }
        return pages.count > 2 ? max(0, pages[1] - pages[2]) * Int(getpagesize()) : 0
    }

    /// Gives free pages back to the system, also from inside the heap, and measures the used memory. Returns the bytes given back.
    /// With many free blocks, other threads may wait for memory: so it is called while they are idle.
    package static func trim() -> Int {
        let before = resident
        gauge.withLock { $0.beginTrim() }
        malloc_trim(0)
        let now = measured()
        gauge.withLock { $0.endTrim(now) }
        return max(0, before - resident)
    }

    /// Visits every free block.
    private static func measured() -> HeapGauge.Measurement {
        let memory = mallinfo2()
        return .init(used: Int(memory.uordblks + memory.hblkhd), freeBlocks: Int(memory.ordblks + memory.smblks))
    }
}

/// Decides when the heap is measured. glibc visits every free block for that, in some 0.25 ms per 1,000, and locks the heap.
struct HeapGauge {
    struct Measurement {
        let used: Int
        let freeBlocks: Int
    }

    /// With more than these in the last measurement, the heap is measured when it is trimmed, and not whenever a client asks.
    static let maxFreeBlocks = 10_000

    private var last: Measurement?
    private var isTrimming = false

    mutating func used(_ measured: () -> Measurement) -> Int {
        if let last, isTrimming || last.freeBlocks > Self.maxFreeBlocks { return last.used }
        let now = measured()
        last = now
        return now.used
    }

    /// From now on another thread has the heap's lock.
    mutating func beginTrim() { isTrimming = true }

    mutating func endTrim(_ now: Measurement) { (last, isTrimming) = (now, false) }
}

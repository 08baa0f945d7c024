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

    /// Allocated and not freed, in bytes. If the heap has many free blocks: as of the last measurement, plus the change of
    /// `resident` since.
    package static var used: Int { gauge.withLock { $0.used(measured, resident: resident) } }

    /// Resident memory, used or free, in bytes; without the program's own file.
    package static var resident: Int {
        let pages = residentPages
        return max(0, pages.all - pages.fileBacked) * Int(getpagesize())
    }

    /// Resident memory, the program's own file included, in bytes: what the system shows of the process.
    package static var residentWithFiles: Int { residentPages.all * Int(getpagesize()) }

    private static var residentPages: (all: Int, fileBacked: Int) {
        let text = (try? SmallFile("/proc/self/statm").text()) ?? nil
        // The process's pages: all, resident, and file-backed.
        let pages = (text ?? "").split(separator: " ").compactMap { Int($0) }
        return pages.count > 2 ? (pages[1], pages[2]) : (0, 0)
    }

    /// Gives free pages back to the system, also from inside the heap, and measures the used memory. Returns the bytes given back.
    /// With many free blocks, other threads may wait for memory: so it is called while they are idle.
    package static func trim() -> Int {
        let before = resident
        gauge.withLock { $0.beginTrim(resident: before) }
        malloc_trim(0)
        let now = measured()
        gauge.withLock { $0.endTrim(now) }
        return max(0, before - resident)
    }

    /// Visits every free block.
    private static func measured() -> HeapGauge.Measurement {
        let memory = mallinfo2()
        return .init(
            used: Int(memory.uordblks + memory.hblkhd), freeBlocks: Int(memory.ordblks + memory.smblks), resident: resident)
    }
}

/// Decides when the heap is measured. glibc visits every free block for that, in some 0.25 ms per 1,000, and locks the heap.
struct HeapGauge {
    struct Measurement {
        var used: Int
        let freeBlocks: Int
        /// Resident memory at the same time, in bytes; 0 if it is unknown.
        var resident: Int

        /// Estimates the used memory from the resident memory at another time, which is cheap to read. Use of free blocks
        /// does not change it.
        mutating func update(resident now: Int) {
            guard now > 0, resident > 0 else { return }
            used += now - resident
            resident = now
        }
    }

    /// With more than these in the last measurement, the heap is measured when it is trimmed, and estimated whenever a
    /// client asks.
    static let maxFreeBlocks = 10_000

    private var last: Measurement?
    private var isTrimming = false

    mutating func used(_ measured: () -> Measurement, resident: @autoclosure () -> Int) -> Int {
        guard var known = last, isTrimming || known.freeBlocks > Self.maxFreeBlocks else {
            let now = measured()
            last = now
            return now.used
        }
        // While it is trimmed, the resident memory shrinks by free blocks.
        if !isTrimming { known.update(resident: resident()) }
        last = known
        return max(0, known.used)
    }

    /// From now on another thread has the heap's lock.
    mutating func beginTrim(resident: Int) {
        last?.update(resident: resident)
        isTrimming = true
    }

    mutating func endTrim(_ now: Measurement) { (last, isTrimming) = (now, false) }
}

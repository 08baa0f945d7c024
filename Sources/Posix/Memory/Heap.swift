// The memory that the process has allocated, and the memory that it takes from the system.

import CLinux
import Glibc

package enum Heap {
    /// Blocks from this size on are mapped, and so returned to the system when freed. By default glibc raises this threshold as large
    /// blocks are freed, and keeps them in a heap that small blocks fragment.
    private static let large = Int32(256 << 10)
    /// Unused memory that may remain at the heap's end.
    private static let spare = Int32(4 << 20)

    /// Called once, when the process starts.
    package static func prepare() {
        mallopt(M_MMAP_THRESHOLD, large)
        mallopt(M_TRIM_THRESHOLD, spare)
    }

    /// Allocated and not freed, in bytes.
    package static var used: Int {
        let memory = mallinfo2()
        return Int(memory.uordblks + memory.hblkhd)
    }

    /// Resident memory, used or free, in bytes; without the program's own file.
    package static var resident: Int {
        let text = (try? SmallFile("/proc/self/statm").text()) ?? nil
        // The process's pages: all, resident, and file-backed.
        let pages = (text ?? "").split(separator: " ").compactMap { Int($0) }
        return pages.count > 2 ? max(0, pages[1] - pages[2]) * Int(getpagesize()) : 0
    }

    /// Returns free pages to the system, also from inside the heap.
    package static func trim() {
        malloc_trim(0)
    }
}

// The memory that the process has asked for, and what the system has given it.

import CLinux
import Glibc

package enum Heap {
    /// Blocks of this size and more are the system's again as soon as they are freed. Left to itself, glibc gets used to large blocks
    /// and keeps them, with whatever small ones have come to lie between them.
    private static let large = Int32(256 << 10)
    /// As much may lie unused at the end.
    private static let spare = Int32(4 << 20)

    /// Once, when the process starts.
    package static func prepare() {
        mallopt(M_MMAP_THRESHOLD, large)
        mallopt(M_TRIM_THRESHOLD, spare)
    }

    /// What has been asked for and not given back, in bytes.
    package static var used: Int {
        let memory = mallinfo2()
        return Int(memory.uordblks + memory.hblkhd)
    }

    /// What of that, and of what lies free, takes up memory of the machine's, in bytes; without the program itself.
    package static var resident: Int {
        guard let pages = pages(), pages.count > 2 else { return 0 }
        return max(0, pages[1] - pages[2]) * Int(getpagesize())
    }

    /// How many pages the process has: all in all, resident, and those that are files'.
    private static func pages() -> [Int]? {
        guard let file = Descriptor(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) else { return nil }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = read(file.number, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    }

    /// Free pages go back to the system, wherever they lie.
    package static func giveBack() {
        malloc_trim(0)
    }
}

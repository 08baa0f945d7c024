// What the kernel counts of a thread.

import Glibc

/// The main thread of a process; that of gamed is its loop's. Times are in nanoseconds.
struct ProbedThread {
    private static let maxLength = 128

    private let path: String
    /// Open as long as the program runs: each reading counts anew. A probe reads four times for each request, beside every daemon of the tests.
    private let file: Int32

    /// Returns nil if the process is gone or the kernel counts nothing.
    init?(_ process: Int32) {
        path = "/proc/\(process)/task/\(process)/schedstat"
        file = open(path, O_RDONLY | O_CLOEXEC)
        guard read() != nil else { return nil }
    }

    /// Time on a processor, and time that it was ready and waited for one. Nil if the thread has ended.
    func read() -> (ran: Int, waited: Int)? {
        withUnsafeTemporaryAllocation(byteCount: Self.maxLength + 1, alignment: 1) { bytes in
            let count = pread(file, bytes.baseAddress, Self.maxLength, 0)
            guard count > 0, let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
            text[count] = 0
            var rest: UnsafeMutablePointer<CChar>?
            let ran = strtol(text, &rest, 10)
            guard let rest, rest != text else { return nil }
            return (ran, strtol(rest, nil, 10))
        }
    }

    var isAlive: Bool { access(path, F_OK) == 0 }
}

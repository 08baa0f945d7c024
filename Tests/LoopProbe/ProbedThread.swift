// What the kernel counts of a thread.

import Glibc

/// The main thread of a process; that of gamed is its loop's. Times are in nanoseconds.
struct ProbedThread {
    private let path: String

    /// Returns nil if the process is gone or the kernel counts nothing.
    init?(_ process: Int32) {
        path = "/proc/\(process)/task/\(process)/schedstat"
        guard read() != nil else { return nil }
    }

    /// Time on a processor, and time that it was ready and waited for one. Nil if the thread has ended.
    func read() -> (ran: Int, waited: Int)? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let numbers = bytes[..<count].split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        return numbers.count >= 2 ? (numbers[0], numbers[1]) : nil
    }

    var isAlive: Bool { access(path, F_OK) == 0 }
}

// Ways in which code takes its process down.

import Glibc

enum Trap: String, CaseIterable {
    case illegal, pointer, bus, arithmetic, abort, overflow, thread, sleep

    /// With a file named in the environment, only while there is that file.
    private static var isArmed: Bool {
        guard let path = getenv("TRAP_WHILE") else { return true }
        return access(path, F_OK) == 0
    }

    static func spring(_ name: String = "illegal") {
        guard isArmed, let trap = Trap(rawValue: name) else { return }
        trap.spring()
    }

    private func spring() {
        switch self {
        case .illegal: fatalError("on purpose")
        case .pointer: UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case .bus: Self.touchBeyondTheEnd()
        case .arithmetic: raise(SIGFPE)
        case .abort: Glibc.abort()
        case .overflow: print(Self.sink(1))
        case .thread: Self.trapElsewhere()
        case .sleep: Self.hang()
        }
    }

    private static func touchBeyondTheEnd() {
        let file = tmpfile()
        let memory = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0)
        memory?.storeBytes(of: 1, as: UInt8.self)
    }

    @inline(never)
    private static func sink(_ depth: Int) -> Int {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { room in
            room[depth % 64] = depth
            return sink(depth + 1) + room[depth % 64]
        }
    }

    /// Says so before, for tests that wait for it.
    private static func hang() {
        let line = "this flow hangs on purpose\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        while true { usleep(10_000) }
    }

    /// While the loop's thread waits for it.
    private static func trapElsewhere() {
        var thread = pthread_t()
        pthread_create(&thread, nil, { _ in fatalError("elsewhere") }, nil)
        pthread_join(thread, nil)
    }
}

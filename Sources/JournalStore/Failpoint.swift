// Places where a test lets the process die. A release has none: the calls are empty, and their names are not in the program.

import Glibc

/// `GAMED_FAILPOINT=before-commit` has the process killed the first time that it comes to that place, `before-commit:3` the third.
package enum Failpoint {
    #if FAILPOINTS
        package static func hit(_ name: StaticString) {
            guard let armed, armed.name == name.description else { return }
            guard hits.next() == armed.count else { return }
            kill(getpid(), SIGKILL)
        }

        private static let armed: (name: String, count: Int)? = {
            guard let value = getenv("GAMED_FAILPOINT") else { return nil }
            let parts = String(cString: value).split(separator: ":", maxSplits: 1)
            guard let name = parts.first else { return nil }
            return (String(name), parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
        }()

        private static let hits = Counter()
    #else
        @inlinable @inline(__always)
        package static func hit(_: StaticString) {}
    #endif
}

#if FAILPOINTS
    import Synchronization

    private final class Counter: Sendable {
        private let count = Atomic(0)

        func next() -> Int { count.add(1, ordering: .relaxed).newValue }
    }
#endif

// Named points in the code where a test makes the process die or wait. A release has none: the calls and their names compile to
// nothing.

import Glibc
import Synchronization

/// `GAMED_FAILPOINT=before-commit` kills the process the first time that it reaches that point, `before-commit:3` the third time;
/// with `before-commit@FILE` it waits there, each time, while the file exists.
package enum Failpoint {
    #if FAILPOINTS
        package static func hit(_ name: StaticString) {
            guard let armed, armed.name == name.description else { return }
            switch armed.action {
            case .die(let count): if hits.add(1, ordering: .relaxed).newValue == count { kill(getpid(), SIGKILL) }
            case .wait(let file): while access(file, F_OK) == 0 { usleep(1_000) }
            }
        }

        private enum Action {
            case die(atHit: Int)
            case wait(whileThereIs: String)
        }

        private static let armed: (name: String, action: Action)? = {
            guard let value = getenv("GAMED_FAILPOINT") else { return nil }
            let words = String(cString: value)
            if let at = words.firstIndex(of: "@") {
                return (String(words[..<at]), .wait(whileThereIs: String(words[words.index(after: at)...])))
            }
            let parts = words.split(separator: ":", maxSplits: 1)
            guard let name = parts.first else { return nil }
            return (String(name), .die(atHit: parts.count > 1 ? Int(parts[1]) ?? 1 : 1))
        }()

        private static let hits = Atomic(0)
    #else
        @inlinable package static func hit(_: StaticString) {}
    #endif
}

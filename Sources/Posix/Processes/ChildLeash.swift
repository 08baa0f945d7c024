// What holds a program that was started: whoever has the leash can end it, from any thread.

import Glibc
import Synchronization

package final class ChildLeash: Sendable {
    /// The leader of its group; 0 once it has ended, since its number may then be another's.
    private let process = Mutex<pid_t>(0)
    private let isCut = Mutex(false)

    package init() {}

    func hold(_ child: pid_t) {
        process.withLock { $0 = child }
        if isCut.withLock({ $0 }) { cut() }
    }

    /// Kills it, with all that it has started, and whatever is held later.
    package func cut() {
        isCut.withLock { $0 = true }
        process.withLock { child in
            guard child > 0 else { return }
            kill(-child, SIGKILL)
            var status: Int32 = 0
            waitpid(child, &status, 0)
            child = 0
        }
    }

    /// Whether it ended well. It may close its output before it ends.
    func waitForEnd(until deadline: ContinuousClock.Instant) throws(ChildProcess.Failure) -> Bool {
        while true {
            if let status = endStatus { return status == 0 }
            guard ContinuousClock.now < deadline else { throw .tookTooLong }
            usleep(2_000)
        }
    }

    /// Nil while it runs.
    private var endStatus: Int32? {
        process.withLock { child in
            var status: Int32 = 0
            guard child > 0 else { return -1 }
            if waitpid(child, &status, WNOHANG) == 0 { return nil }
            child = 0
            return status
        }
    }
}

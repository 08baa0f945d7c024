// Sums up the log lines held back in a burst some seconds later, if no other line reports their number.

import EventLoop
import Logging

final class HeldBackLines: LogDelegate {
    private static let milliseconds = 2_000
    private var delay: Delay?

    init(of log: Log, on loop: Loop) throws(LoopFailure) {
        delay = try Delay(on: loop) { [unowned self, log] in
            if !log.flushSuppressed() { delay?.start(milliseconds: Self.milliseconds) }
        }
        log.delegate = self
    }

    func logDidHoldBack() { delay?.start(milliseconds: Self.milliseconds) }
}

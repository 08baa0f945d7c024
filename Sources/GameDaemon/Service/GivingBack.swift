// What was needed in a burst and is free goes back to the system, some seconds after it.

import Timers

/// Looks at the heap when the daemon has had something to do and then rests: not while it is busy, when that would keep somebody
/// waiting, and never without a reason, so that a daemon at rest is not woken.
final class GivingBack {
    private static let milliseconds = 1_500
    /// Whoever has had so many turns meanwhile does not rest.
    private static let busyTurns = 1_500
    /// What lies free is worth the trouble if it is so many bytes more than after the last time.
    private static let worthwhile = 4 << 20

    private let loop: Loop
    private let log: Log
    private var delay: Delay?
    private var turns = 0
    private var slack = 0

    init(on loop: Loop, log: Log) throws(LoopFailure) {
        self.loop = loop
        self.log = log
        delay = try Delay(on: loop) { [unowned self] in look() }
    }

    /// Something is done in this turn.
    func isBusy() {
        guard let delay, !delay.isRunning else { return }
        turns = loop.turns
        delay.start(milliseconds: Self.milliseconds)
    }

    private func look() {
        guard loop.turns - turns < Self.busyTurns else { return isBusy() }
        let clock = SystemClock()
        let began = clock.now
        let before = Heap.resident
        let free = before - Heap.used
        guard free > slack + Self.worthwhile else { return }
        let looked = clock.now
        Heap.giveBack()
        let after = Heap.resident
        slack = max(0, after - Heap.used)
        log.debug(
            "gave back \(max(0, before - after)) bytes in \(looked.duration(to: clock.now).wholeNanoseconds / 1_000) us, looked for \(began.duration(to: looked).wholeNanoseconds / 1_000) us"
        )
    }
}

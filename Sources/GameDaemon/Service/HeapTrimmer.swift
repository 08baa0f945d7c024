// Returns free memory to the system, some seconds after a burst.

import Dispatch
import EventLoop
import Posix
import Sessions
import Timers

/// Trimming the heap locks it, for some milliseconds, or for 0.1 s with 500,000 free blocks; glibc does not do it in pieces. So a
/// thread does it, after a burst, once the daemon is idle: the loop waits only if it needs memory meanwhile. It is done a few times
/// more in the following seconds, since the journal's thread becomes idle later. An idle daemon is not woken.
final class HeapTrimmer {
    private static let milliseconds = 1_000
    /// How often it is repeated, and how soon.
    private static let repetitions = 3
    private static let repeatMilliseconds = 2_500
    /// Few enough turns to count as idle: a client polling INFO each second does not prevent it.
    private static let restfulTurns = 10
    /// After this many checks, a lightly loaded daemon counts as idle, too.
    private static let maxLooks = 20
    private static let fewTurns = 100
    /// With fewer requests and connections than this, trimming is not worthwhile.
    private static let much = 5_000

    private let daemon: Daemon
    private let trims: LoopWork<(bytes: Int, took: Duration)>
    private var delay: Delay?
    private var looks = 0
    /// Over HTTP, since the last look.
    private var pageRequests = 0
    private var repetitionsLeft = 0
    private var lastDone = 0

    init(of daemon: Daemon) throws(LoopFailure) {
        self.daemon = daemon
        trims = try LoopWork(on: daemon.loop, DispatchQueue(label: "gamed.heap", qos: .utility))
        delay = try Delay(on: daemon.loop) { [unowned self] in checkIdle() }
    }

    /// Looks whether the daemon is idle again, a second from now.
    func begin() {
        guard let delay, !delay.isRunning else { return }
        delay.start(milliseconds: Self.milliseconds)
    }

    func countPageRequest() {
        pageRequests += 1
        begin()
    }

    private func checkIdle() {
        let busyTurns = daemon.connections.resetBusyTurns() + exchange(&pageRequests, with: 0)
        guard done - lastDone >= Self.much else { return repeatIfQuiet(busyTurns) }
        looks += 1
        let rests = busyTurns <= Self.restfulTurns || looks > Self.maxLooks && busyTurns < Self.fewTurns
        guard rests else {
            delay?.start(milliseconds: Self.milliseconds)
            return
        }
        (looks, lastDone, repetitionsLeft) = (0, done, Self.repetitions)
        trimMemory()
        delay?.start(milliseconds: Self.repeatMilliseconds)
    }

    private func repeatIfQuiet(_ busyTurns: Int) {
        guard repetitionsLeft > 0 else { return }
        if busyTurns <= Self.restfulTurns {
            repetitionsLeft -= 1
            trimMemory()
        }
        if repetitionsLeft > 0 { delay?.start(milliseconds: Self.repeatMilliseconds) }
    }

    private var done: Int { daemon.host.requestCount + daemon.connections.counts.accepted }

    private func trimMemory() {
        trims.run {
            let (clock, began) = (SystemClock(), SystemClock().now)
            let bytes = Heap.trim()
            return (bytes, began.duration(to: clock.now))
        } onDone: { [unowned self] in
            daemon.log.debug("released \($0.bytes) bytes of memory, in \($0.took.wholeNanoseconds / 1_000) us")
        }
    }
}

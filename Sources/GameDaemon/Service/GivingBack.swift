// What was needed in a burst and is free goes back to the system, some seconds after it.

import EventLoop
import Posix
import Sessions
import Timers

/// To find what is free takes some milliseconds, in which nobody is heard: so it is done once after much has happened, when the
/// daemon rests, and never else; and a few times more in the seconds behind that, since the journal's thread comes to rest later. A
/// daemon that has rested is not woken.
final class GivingBack {
    private static let milliseconds = 1_000
    /// How often it is done once more, and how soon.
    private static let repetitions = 3
    private static let repeatMilliseconds = 2_500
    /// Whoever looks at INFO each second does not keep it from resting.
    private static let restfulTurns = 10
    /// Whoever is asked something all the time is given a break after so many looks, if it is not much.
    private static let mostLooks = 20
    private static let fewTurns = 100
    /// Below so many requests and connections there is nothing that is worth the trouble.
    private static let much = 5_000

    private let daemon: Daemon
    private var delay: Delay?
    /// Turns in which something was done, since the last look.
    private var busyTurns = 0
    private var looks = 0
    private var repetitionsLeft = 0
    private var lastDone = 0

    init(of daemon: Daemon) throws(LoopFailure) {
        self.daemon = daemon
        delay = try Delay(on: daemon.loop) { [unowned self] in look() }
    }

    /// Something is done in this turn.
    func isBusy() {
        busyTurns &+= 1
        guard let delay, !delay.isRunning else { return }
        delay.start(milliseconds: Self.milliseconds)
    }

    private func look() {
        defer { busyTurns = 0 }
        guard done - lastDone >= Self.much else { return lookAgain() }
        looks += 1
        let rests = busyTurns <= Self.restfulTurns || looks > Self.mostLooks && busyTurns < Self.fewTurns
        guard rests else {
            delay?.start(milliseconds: Self.milliseconds)
            return
        }
        (looks, lastDone, repetitionsLeft) = (0, done, Self.repetitions)
        giveBack()
        delay?.start(milliseconds: Self.repeatMilliseconds)
    }

    private func lookAgain() {
        guard repetitionsLeft > 0 else { return }
        if busyTurns <= Self.restfulTurns {
            repetitionsLeft -= 1
            giveBack()
        }
        if repetitionsLeft > 0 { delay?.start(milliseconds: Self.repeatMilliseconds) }
    }

    private var done: Int { daemon.host.requestCount + daemon.connections.counts.accepted }

    private func giveBack() {
        let clock = SystemClock()
        let (before, began) = (Heap.resident, clock.now)
        Heap.giveBack()
        let took = began.duration(to: clock.now).wholeNanoseconds / 1_000
        daemon.log.debug("gave back \(max(0, before - Heap.resident)) bytes of memory, in \(took) us")
    }
}

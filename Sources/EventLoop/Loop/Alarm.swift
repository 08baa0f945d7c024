import CEvent
import Glibc
import Posix
import Timers

/// The loop's one timer. It only ends the wait; the turn finds out what is due.
final class Alarm {
    private var event: OpaquePointer?
    private var setFor: Instant?

    init(on base: EventBase) throws(LoopFailure) {
        event = event_new(base.handle, -1, 0, { _, _, _ in }, nil)
        guard event != nil else { throw .cannotWatch("the time") }
    }

    deinit {
        if let event { event_free(event) }
    }

    /// Ends the wait at `wake` at the latest. An alarm set for an earlier instant is left alone: a superfluous wake-up costs less
    /// than setting the alarm at every turn.
    func set(for wake: Instant?, now: () -> Instant) throws(LoopFailure) {
        guard let wake else { return clear() }
        if let setFor, setFor <= wake { return }
        var delay = timeval(roundingUp: now().duration(to: wake))
        guard event_add(event, &delay) == 0 else { throw .cannotWatch("the time: \(systemErrorText(errno))") }
        setFor = wake
    }

    /// Forgets an alarm that was set for `now` or earlier: it has gone off.
    func passed(_ now: Instant) {
        if let setFor, setFor <= now { self.setFor = nil }
    }

    private func clear() {
        guard setFor != nil else { return }
        event_del(event)
        setFor = nil
    }
}

extension timeval {
    /// Rounded up, so that a wait is never too short.
    fileprivate init(roundingUp duration: Duration) {
        let nanoseconds = max(0, duration.wholeNanoseconds)
        let microseconds = nanoseconds / 1_000 + (nanoseconds % 1_000 > 0 ? 1 : 0)
        self.init(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
    }
}

// The loop's timer: a descriptor that the kernel makes readable when the first of all timers is due.

import CEvent
import CLinux
import Glibc
import Posix
import Timers

/// Ends the loop's wait; the turn then finds the due timers.
///
/// libevent's own timers have either a precision of milliseconds, or cost a system call in each turn.
final class Alarm {
    private let descriptor: Int32
    private var event: OpaquePointer?
    private var isWatched = false
    private var setFor: Instant?

    init(on base: EventBase) throws(LoopFailure) {
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard descriptor >= 0 else { throw .cannotWatch("the time: \(systemErrorText(errno))") }
        let me = Unmanaged.passUnretained(self).toOpaque()
        event = event_new(
            base.handle, descriptor, Int16(EV_READ | EV_PERSIST),
            { _, _, context in
                guard let context else { return }
                Unmanaged<Alarm>.fromOpaque(context).takeUnretainedValue().setFor = nil
            }, me)
        guard event != nil else { throw .cannotWatch("the time") }
    }

    deinit {
        if let event { event_free(event) }
        close(descriptor)
    }

    /// Ends the wait at `wake` at the latest. An alarm set for an earlier instant is left alone: a superfluous wake-up costs less
    /// than setting the alarm at every turn. One that has gone off stays readable until it is set again, so it must be.
    func set(for wake: Instant?, now: () -> Instant) throws(LoopFailure) {
        guard let wake else { return clear() }
        if let setFor, setFor <= wake { return }
        // Zero would switch the timer off.
        let left = max(1, now().duration(to: wake).wholeNanoseconds)
        var time = itimerspec()
        time.it_value = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
        guard timerfd_settime(descriptor, 0, &time, nil) == 0, isWatched || event_add(event, nil) == 0 else {
            throw .cannotWatch("the time: \(systemErrorText(errno))")
        }
        (setFor, isWatched) = (wake, true)
    }

    private func clear() {
        guard isWatched else { return }
        event_del(event)
        (setFor, isWatched) = (nil, false)
    }
}

// The events of libevent that call back in a turn of the loop: a descriptor that is ready, a signal, and the time.

import CEvent
import Glibc
import Posix

/// Owns one event of libevent's.
package class LoopEvent {
    private var event: OpaquePointer?
    private let loop: Loop
    private let onFire: () -> Void
    private let isPersistent: Bool
    /// Private, so that the compiler proves that no accesses overlap; each turn stops watches.
    private final var isAdded = false
    /// Whether it waits to call back.
    package final var isRunning: Bool { isAdded }

    fileprivate init(
        _ descriptor: Int32, _ flags: Int16, _ what: String, on loop: Loop, onFire: @escaping () -> Void
    ) throws(LoopFailure) {
        (self.loop, self.onFire, isPersistent) = (loop, onFire, flags & Int16(EV_PERSIST) != 0)
        let me = Unmanaged.passUnretained(self).toOpaque()
        event = event_new(
            loop.base.handle, descriptor, flags,
            { _, _, context in
                guard let context else { return }
                Unmanaged<LoopEvent>.fromOpaque(context).takeUnretainedValue().fire()
            }, me)
        guard event != nil else { throw .cannotWatch(what) }
    }

    deinit {
        if let event { event_free(event) }
    }

    /// Waits until it fires, or until `time` is over. Returns whether it does.
    fileprivate final func add(_ time: UnsafePointer<timeval>? = nil) -> Bool {
        isAdded = event_add(event, time) == 0
        return isAdded
    }

    package final func stop() {
        guard isAdded else { return }
        event_del(event)
        isAdded = false
    }

    private func fire() {
        if !isPersistent { isAdded = false }
        loop.receive(onFire)
    }
}

/// Calls back while a descriptor is readable or writable.
package final class DescriptorWatch: LoopEvent {
    package enum Interest: Int16 {
        case readable = 0x02  // EV_READ
        case writable = 0x04  // EV_WRITE
    }

    package init(
        _ descriptor: Int32, _ interest: Interest, on loop: Loop, onReady: @escaping () -> Void
    ) throws(LoopFailure) {
        try super.init(
            descriptor, interest.rawValue | Int16(EV_PERSIST), "descriptor \(descriptor)", on: loop, onFire: onReady)
    }

    package func start() throws(LoopFailure) {
        guard isRunning || add() else { throw .cannotWatch("a descriptor: \(systemErrorText(errno))") }
    }
}

/// Calls back after a signal.
package final class SignalWatch: LoopEvent {
    package init(_ signal: Int32, on loop: Loop, onRaised: @escaping () -> Void) throws(LoopFailure) {
        try super.init(signal, Int16(EV_SIGNAL | EV_PERSIST), "signal \(signal)", on: loop, onFire: onRaised)
        guard add() else { throw .cannotWatch("signal \(signal)") }
    }
}

/// Calls back once, after an interval of real time, also where flows run on virtual time. For the service's own work: never early, and some
/// milliseconds late.
package final class Delay: LoopEvent {
    package init(on loop: Loop, onOver: @escaping () -> Void) throws(LoopFailure) {
        try super.init(-1, 0, "the time", on: loop, onFire: onOver)
    }

    /// The clock that libevent reads for it is behind by up to a tick.
    private static let tick: Int = {
        var resolution = timespec()
        clock_getres(CLOCK_MONOTONIC_COARSE, &resolution)
        return resolution.tv_nsec / 1_000
    }()

    /// Restarts if it is running.
    package func start(milliseconds: Int) {
        let microseconds = milliseconds % 1_000 * 1_000 + Self.tick
        var time = timeval(
            tv_sec: milliseconds / 1_000 + microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
        // This fails only when memory runs out, which ends the process anyway.
        _ = add(&time)
    }
}

extension Loop {
    /// Calls `body` in a turn after `milliseconds`, unless the returned object is released before. Returns nil if memory runs out.
    package func schedule(after milliseconds: Int, _ body: @escaping () -> Void) -> AnyObject? {
        let delay = try? Delay(on: self, onOver: body)
        delay?.start(milliseconds: milliseconds)
        return delay
    }
}

import CEvent
import Glibc

/// Calls back once, in a turn of the loop, after an interval of real time, also where flows run on virtual time. For the service's own
/// work: never early, and some milliseconds late.
package final class Delay {
    private var event: OpaquePointer?
    private let loop: Loop
    private let onFire: () -> Void
    package private(set) var isRunning = false

    package init(on loop: Loop, onOver: @escaping () -> Void) throws(LoopFailure) {
        self.loop = loop
        self.onFire = onOver
        let me = Unmanaged.passUnretained(self).toOpaque()
        event = event_new(
            loop.base.handle, -1, 0,
            { _, _, context in
                guard let context else { return }
                Unmanaged<Delay>.fromOpaque(context).takeUnretainedValue().over()
            }, me)
        guard event != nil else { throw .cannotWatch("the time") }
    }

    deinit {
        if let event { event_free(event) }
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
        isRunning = event_add(event, &time) == 0
    }

    package func stop() {
        guard isRunning else { return }
        event_del(event)
        isRunning = false
    }

    fileprivate static func started(on loop: Loop, _ milliseconds: Int, _ body: @escaping () -> Void) -> Delay? {
        guard let delay = try? Delay(on: loop, onOver: body) else { return nil }
        delay.start(milliseconds: milliseconds)
        return delay
    }

    private func over() {
        isRunning = false
        loop.receive(onFire)
    }
}

extension Loop {
    /// Calls `body` in a turn after `milliseconds`, unless the returned object is released before. Returns nil if memory runs out.
    package func schedule(after milliseconds: Int, _ body: @escaping () -> Void) -> AnyObject? {
        Delay.started(on: self, milliseconds, body)
    }
}

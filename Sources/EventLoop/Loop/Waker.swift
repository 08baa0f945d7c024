// The only part of the loop that other threads may use.

import CEvent
import CLinux
import Glibc
import Posix

/// Wakes the loop, or another thread that waits, from any thread. Calls before it wakes count as one.
package final class Waker: Sendable {
    /// Can be read once it has been woken.
    package let descriptor: Int32

    package init() throws(LoopFailure) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .cannotStart("no eventfd: \(systemErrorText(errno))") }
    }

    deinit {
        close(descriptor)
    }

    package func wake() {
        // This fails only if the counter is full, and then the loop wakes anyway.
        _ = eventfd_write(descriptor, 1)
    }

    package func clear() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
    }

    /// Waits until another thread wakes it, for a thread without a loop.
    package func wait(atMost milliseconds: Int32 = -1) {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, milliseconds)
        clear()
    }

    fileprivate func watch(on loop: Loop, onWoken: @escaping () -> Void) throws(LoopFailure) -> DescriptorWatch {
        try DescriptorWatch(descriptor, .readable, on: loop) { [unowned self] in
            clear()
            onWoken()
        }
    }
}

/// Watches a waker on the loop, until it is released.
package final class WakerWatch {
    package let waker: Waker
    private let watch: DescriptorWatch

    package convenience init(on loop: Loop, onWoken: @escaping () -> Void) throws(LoopFailure) {
        try self.init(try Waker(), on: loop, onWoken: onWoken)
    }

    package init(_ waker: Waker, on loop: Loop, onWoken: @escaping () -> Void) throws(LoopFailure) {
        self.waker = waker
        watch = try waker.watch(on: loop, onWoken: onWoken)
        try watch.start()
    }
}

/// Calls back while a descriptor is readable or writable.
package final class DescriptorWatch {
    package enum Interest: Int16 {
        case readable = 0x02  // EV_READ
        case writable = 0x04  // EV_WRITE
    }

    private var event: OpaquePointer?
    private let loop: Loop
    private let onReady: () -> Void
    package var isActive: Bool { isAdded }
    private var isAdded = false

    package init(
        _ descriptor: Int32, _ interest: Interest, on loop: Loop, onReady: @escaping () -> Void
    ) throws(LoopFailure) {
        self.loop = loop
        self.onReady = onReady
        let me = Unmanaged.passUnretained(self).toOpaque()
        let flags = interest.rawValue | Int16(EV_PERSIST)
        event = event_new(
            loop.base.handle, descriptor, flags,
            { _, _, context in
                guard let context else { return }
                Unmanaged<DescriptorWatch>.fromOpaque(context).takeUnretainedValue().ready()
            }, me)
        guard event != nil else { throw .cannotWatch("descriptor \(descriptor)") }
    }

    deinit {
        if let event { event_free(event) }
    }

    package func start() throws(LoopFailure) {
        guard !isAdded else { return }
        guard event_add(event, nil) == 0 else { throw .cannotWatch("a descriptor: \(systemErrorText(errno))") }
        isAdded = true
    }

    package func stop() {
        guard isAdded else { return }
        event_del(event)
        isAdded = false
    }

    private func ready() {
        loop.receive(onReady)
    }
}

/// Calls back in a turn of the loop after a signal.
package final class SignalWatch {
    private var event: OpaquePointer?
    private let loop: Loop
    private let onRaised: () -> Void

    package init(_ signal: Int32, on loop: Loop, onRaised: @escaping () -> Void) throws(LoopFailure) {
        self.loop = loop
        self.onRaised = onRaised
        let me = Unmanaged.passUnretained(self).toOpaque()
        event = event_new(
            loop.base.handle, signal, Int16(EV_SIGNAL | EV_PERSIST),
            { _, _, context in
                guard let context else { return }
                Unmanaged<SignalWatch>.fromOpaque(context).takeUnretainedValue().raised()
            }, me)
        guard event != nil, event_add(event, nil) == 0 else { throw .cannotWatch("signal \(signal)") }
    }

    deinit {
        if let event { event_free(event) }
    }

    private func raised() {
        loop.receive(onRaised)
    }
}

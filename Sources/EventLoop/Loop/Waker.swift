// The only part of the loop that other threads may use.

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
}

/// Watches a waker on the loop, until it is released.
package final class WakerWatch {
    package let waker: Waker
    private let watch: DescriptorWatch

    package init(_ waker: Waker, on loop: Loop, onWoken: @escaping () -> Void) throws(LoopFailure) {
        self.waker = waker
        watch = try DescriptorWatch(waker.descriptor, .readable, on: loop) {
            waker.clear()
            onWoken()
        }
        try watch.start()
    }
}

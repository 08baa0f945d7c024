// The only part of the loop that other threads may use.

import CLinux
import Glibc
import Posix

/// Wakes the loop from any thread. Calls before the loop wakes count as one.
package final class Waker: Sendable {
    private let descriptor: Int32

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

    fileprivate func clear() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
    }

    fileprivate func watch(on loop: Loop, whenWoken: @escaping () -> Void) throws(LoopFailure) -> DescriptorWatch {
        try DescriptorWatch(descriptor, .readable, on: loop) { [unowned self] in
            clear()
            whenWoken()
        }
    }
}

/// Watches a waker on the loop, until it is released.
package final class WakerWatch {
    package let waker: Waker
    private let watch: DescriptorWatch

    package convenience init(on loop: Loop, whenWoken: @escaping () -> Void) throws(LoopFailure) {
        try self.init(try Waker(), on: loop, whenWoken: whenWoken)
    }

    package init(_ waker: Waker, on loop: Loop, whenWoken: @escaping () -> Void) throws(LoopFailure) {
        self.waker = waker
        watch = try waker.watch(on: loop, whenWoken: whenWoken)
        try watch.start()
    }
}

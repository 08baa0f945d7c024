import CEvent
import Glibc
import Posix

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

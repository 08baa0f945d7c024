// The owner of libevent's event_base.

import CEvent
import Glibc
import Posix

/// One libevent base, which waits and dispatches callbacks.
package final class EventBase {
    package let handle: OpaquePointer

    /// Drops libevent's warnings, since its calls return the same failures. Only the errors with which it ends the process are printed.
    private static let quietened: Void = event_set_log_callback { severity, text in
        guard severity >= EVENT_LOG_ERR, let text else { return }
        try? StandardStream.error.writeLine("libevent: \(String(cString: text))")
    }

    init() throws(LoopFailure) {
        _ = Self.quietened
        guard let handle = event_base_new() else {
            throw .cannotStart("libevent has no way to wait for descriptors")
        }
        self.handle = handle
    }

    deinit {
        event_base_free(handle)
    }

    /// Whether events are ready that are not dispatched yet.
    var hasReadyEvents: Bool { event_base_get_num_events(handle, UInt32(EVENT_BASE_COUNT_ACTIVE)) > 0 }

    /// Stops dispatching after this callback. The rest is dispatched by the next call.
    func breakLoop() {
        event_base_loopbreak(handle)
    }

    /// Waits until something happens, and dispatches it.
    func waitOnce() throws(LoopFailure) {
        switch event_base_loop(handle, EVLOOP_ONCE) {
        case 0: return
        case 1: throw .nothingToWaitFor
        default: throw .backendFailed(errno: errno)
        }
    }

    /// Dispatches ready events, without waiting.
    func dispatchReady() throws(LoopFailure) {
        guard event_base_loop(handle, EVLOOP_ONCE | EVLOOP_NONBLOCK) >= 0 else { throw .backendFailed(errno: errno) }
    }
}

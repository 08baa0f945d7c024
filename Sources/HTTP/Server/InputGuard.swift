// Looks at what a client sends before libevent does: hangs up if it is more than a request may have, which libevent would keep, and
// checks where requests end.

import CEvent
import Glibc

final class InputGuard {
    private let stream: OpaquePointer
    /// The most bytes that may wait to be looked at.
    var most: Int
    private var hasHungUp = false
    private var framing = FramingCheck()
    private var hasBegun = false
    /// Called once, before libevent looks at the first bytes.
    private let whenBegun: () -> Void

    init(of stream: OpaquePointer, most: Int, whenBegun: @escaping () -> Void) {
        (self.stream, self.most, self.whenBegun) = (stream, most, whenBegun)
        evbuffer_add_cb(bufferevent_get_input(stream), Self.hasCome, me)
    }

    /// The stream may live on without it.
    func stop() { evbuffer_remove_cb(bufferevent_get_input(stream), Self.hasCome, me) }

    private var me: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static let hasCome: evbuffer_cb_func = { _, change, me in
        guard let change, let me else { return }
        Unmanaged<InputGuard>.fromOpaque(me).takeUnretainedValue().checkSize(change.pointee.orig_size, change.pointee.n_added)
    }

    /// What is wrong with what has come; nil if nothing is.
    var fault: String? { framing.fault }

    private func checkSize(_ before: Int, _ added: Int) {
        let size = before + added
        if !hasBegun {
            hasBegun = true
            whenBegun()
        }
        if added > 0, framing.fault == nil { checkFraming(before, added) }
        guard size > most, !hasHungUp else { return }
        hasHungUp = true
        shutdown(bufferevent_getfd(stream), Int32(SHUT_RDWR))
    }

    private func checkFraming(_ before: Int, _ added: Int) {
        let buffer = bufferevent_get_input(stream)
        var place = evbuffer_ptr()
        guard evbuffer_ptr_set(buffer, &place, before, EVBUFFER_PTR_SET) == 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: added, alignment: 1) { bytes in
            let count = evbuffer_copyout_from(buffer, &place, bytes.baseAddress, added)
            framing.read(UnsafeRawBufferPointer(rebasing: bytes[..<max(0, count)]))
        }
    }
}

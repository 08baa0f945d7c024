// Hangs up on a client that sends more than a request may have: libevent would keep all of it.

import CEvent
import Glibc

final class InputGuard {
    private let stream: OpaquePointer
    /// The most bytes that may wait to be looked at.
    var most: Int
    private var hasHungUp = false
    /// Called once, before libevent looks at the first bytes.
    private var whenBegun: (() -> Void)?

    init(of stream: OpaquePointer, most: Int, whenBegun: @escaping () -> Void) {
        (self.stream, self.most, self.whenBegun) = (stream, most, whenBegun)
        evbuffer_add_cb(bufferevent_get_input(stream), Self.hasCome, me)
    }

    /// The stream may live on without it.
    func stop() { evbuffer_remove_cb(bufferevent_get_input(stream), Self.hasCome, me) }

    private var me: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static let hasCome: evbuffer_cb_func = { _, change, me in
        guard let change, let me else { return }
        Unmanaged<InputGuard>.fromOpaque(me).takeUnretainedValue().look(change.pointee.orig_size + change.pointee.n_added)
    }

    private func look(_ size: Int) {
        if let whenBegun {
            self.whenBegun = nil
            whenBegun()
        }
        guard size > most, !hasHungUp else { return }
        hasHungUp = true
        shutdown(bufferevent_getfd(stream), Int32(SHUT_RDWR))
    }
}

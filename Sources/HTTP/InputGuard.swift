// Hangs up on a client that sends more than a request may have: libevent would keep all of it.

import CEvent
import Glibc

final class InputGuard {
    private let stream: OpaquePointer
    /// The most bytes that may wait to be looked at.
    var most: Int
    private var hasHungUp = false

    init(of stream: OpaquePointer, most: Int) {
        (self.stream, self.most) = (stream, most)
        let me = Unmanaged.passUnretained(self).toOpaque()
        evbuffer_add_cb(bufferevent_get_input(stream), Self.hasCome, me)
    }

    /// The guard outlives the stream's reference in `HTTPConnections`.
    private static let hasCome: evbuffer_cb_func = { _, change, me in
        guard let change, let me else { return }
        Unmanaged<InputGuard>.fromOpaque(me).takeUnretainedValue().look(change.pointee.orig_size + change.pointee.n_added)
    }

    private func look(_ size: Int) {
        guard size > most, !hasHungUp else { return }
        hasHungUp = true
        shutdown(bufferevent_getfd(stream), Int32(SHUT_RDWR))
    }
}

// An answer that goes on: the client is sent more whenever there is more.

import CEvent
import Glibc

package final class HTTPStream {
    /// Nil once it has ended.
    private var handle: OpaquePointer?
    private let connection: OpaquePointer

    init(_ handle: OpaquePointer, on connection: OpaquePointer, silenceSeconds: Int) {
        self.handle = handle
        self.connection = connection
        // Its client has nothing to say. One that takes nothing is cut off.
        var silence = timeval(tv_sec: silenceSeconds, tv_usec: 0)
        bufferevent_set_timeouts(evhttp_connection_get_bufferevent(connection), nil, &silence)
    }

    package var isOpen: Bool { handle != nil }

    /// Bytes that the client has not taken.
    package var unsent: Int {
        guard handle != nil, let stream = evhttp_connection_get_bufferevent(connection) else { return 0 }
        return evbuffer_get_length(bufferevent_get_output(stream))
    }

    package func send(_ bytes: UnsafeRawBufferPointer) {
        guard let handle, !bytes.isEmpty else { return }
        let buffer = evbuffer_new()
        evbuffer_add(buffer, bytes.baseAddress, bytes.count)
        evhttp_send_reply_chunk(handle, buffer)
        evbuffer_free(buffer)
    }

    package func end() {
        guard let handle else { return }
        self.handle = nil
        evhttp_send_reply_end(handle)
    }

    func connectionIsGone() {
        if let handle { HTTPRequest.release(handle) }
        handle = nil
    }
}

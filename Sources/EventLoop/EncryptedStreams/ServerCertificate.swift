// The certificate that new connections are shown, and what their handshakes cost.

import CEvent
import COpenSSL
import TLS

/// Can be replaced while the daemon runs: open connections keep their certificate. It outlives the connections that were made with it.
package final class ServerCertificate {
    private var context: TLSContext
    private unowned let loop: Loop

    package init(_ context: TLSContext, on loop: Loop) {
        (self.context, self.loop) = (context, loop)
        watch()
    }

    deinit { gamed_tls_set_owner(context.handle, nil) }

    package func replace(with context: TLSContext) {
        self.context = context
        watch()
    }

    /// The certificate for new connections, as bytes.
    var shown: [UInt8] { context.shown }

    /// A session for one connection; nil if memory runs out.
    func session() -> OpaquePointer? { SSL_new(context.handle) }

    /// A stream for a descriptor that is still to be set, for libevent's HTTP server. It owns both.
    package func stream(on base: OpaquePointer) -> OpaquePointer? {
        Self.stream(session(), on: base, BUFFEREVENT_SSL_ACCEPTING, Int32(BEV_OPT_CLOSE_ON_FREE.rawValue))
    }

    private static func stream(
        _ session: OpaquePointer?, on base: OpaquePointer, _ state: bufferevent_ssl_state, _ options: Int32
    ) -> OpaquePointer? {
        guard let session else { return nil }
        if let stream = bufferevent_openssl_socket_new(base, -1, session, state, options) { return stream }
        SSL_free(session)
        return nil
    }

    /// Says farewell, so that the client knows that nothing is missing.
    package static func sendCloseNotify(_ stream: OpaquePointer) {
        guard let session = bufferevent_openssl_get_ssl(stream), SSL_is_init_finished(session) == 1 else { return }
        SSL_shutdown(session)
        ERR_clear_error()
    }

    // MARK: Cost of handshakes

    /// A handshake takes as long as some hundred requests, and libevent does many in a row without a callback.
    private static let pieces = 64

    private func watch() {
        gamed_tls_set_owner(context.handle, Unmanaged.passUnretained(self).toOpaque())
        SSL_CTX_set_info_callback(context.handle) { session, place, _ in
            guard place == SSL_CB_ACCEPT_EXIT, let session, let owner = gamed_tls_owner(session) else { return }
            Unmanaged<ServerCertificate>.fromOpaque(owner).takeUnretainedValue().chargeHandshake()
        }
    }

    private func chargeHandshake() { loop.receive { loop.charge(pieces: Self.pieces) } }
}

// MARK: - The client's end of a stream through TLS

extension ServerCertificate {
    /// A stream that is still to be connected. It owns its session.
    package static func streamOfClient(with context: TLSContext, on base: OpaquePointer, _ options: Int32) -> OpaquePointer? {
        stream(SSL_new(context.handle), on: base, BUFFEREVENT_SSL_CONNECTING, options)
    }

    /// The SHA-256 of the certificate that the other side has shown, as hexadecimal digits; nil if it has shown none.
    package static func digestShown(on stream: OpaquePointer) -> String? {
        guard let session = bufferevent_openssl_get_ssl(stream), let bytes = TLSContext.certificateShown(in: session) else {
            return nil
        }
        return bytes.withUnsafeBytes { Digest(of: $0).hexadecimal }
    }

    /// The same of the one that is shown here.
    package var digest: String { shown.withUnsafeBytes { Digest(of: $0).hexadecimal } }
}

// The certificate that new connections are shown, what their handshakes cost, and how they fail.

import CEvent
import COpenSSL
import Glibc
import Posix
import TLS

/// Notified when the handshake of a client has failed, on the wire or at the page.
package protocol ServerCertificateDelegate: AnyObject {
    func handshakeDidFail(_ fault: HandshakeFault)
}

package struct HandshakeFault {
    let descriptor: Int32
    /// Its address; nil if the client has gone. Formatted for each reader.
    package var client: String? { TcpAddress.text(of: descriptor, peer: true) }
    /// OpenSSL's words; nil if the client has just disconnected.
    package let reason: String?
}

/// Can be replaced while the daemon runs: open connections keep their certificate. It outlives the connections that were made with it.
package final class ServerCertificate {
    private var context: TLSContext
    private unowned let loop: Loop
    /// Notified of failed handshakes.
    package weak var delegate: (any ServerCertificateDelegate)?

    package init(_ context: TLSContext, on loop: Loop) {
        (self.context, self.loop) = (context, loop)
        watch()
    }

    deinit { gamed_tls_set_owner(context.handle, nil) }

    package func replace(with context: TLSContext) {
        self.context = context
        watch()
    }

    /// When the certificate expires, in seconds since 1970.
    package var expiry: Int? { context.expiry }

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

    // MARK: Handshakes

    /// OpenSSL's callback serves both the wire and libevent's HTTP server, which does not report a failed handshake.
    private func watch() {
        gamed_tls_set_owner(context.handle, Unmanaged.passUnretained(self).toOpaque())
        SSL_CTX_set_info_callback(context.handle) { session, place, result in
            guard place == SSL_CB_ACCEPT_EXIT, let session, let owner = gamed_tls_owner(session) else { return }
            Unmanaged<ServerCertificate>.fromOpaque(owner).takeUnretainedValue().handshakeDidPause(in: session, result)
        }
    }

    /// It is done, waits for bytes, or has failed.
    private func handshakeDidPause(in session: OpaquePointer, _ result: Int32) {
        loop.chargeWorkOfLibevent()
        switch SSL_get_error(session, result) {
        case SSL_ERROR_NONE, SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        default: break
        }
        let (descriptor, error) = (SSL_get_fd(session), ERR_peek_error())
        Self.answerPlainText(at: descriptor, error)
        let fault = HandshakeFault(descriptor: descriptor, reason: error == 0 ? nil : TLSError.reason(of: error))
        delegate?.handshakeDidFail(fault)
    }

    /// Tells a client that does not speak TLS that this address requires it.
    private static func answerPlainText(at descriptor: Int32, _ error: UInt) {
        guard ERR_GET_LIB(error) == ERR_LIB_SSL else { return }
        let answer: String
        switch ERR_GET_REASON(error) {
        case SSL_R_HTTP_REQUEST: answer = httpRequiresTLS
        case SSL_R_WRONG_VERSION_NUMBER: answer = "-ERR this address requires TLS; start redis-cli or gamectl with --tls\r\n"
        default: return
        }
        // With bytes unread, the system would reset the connection, and the client might not see the answer.
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { room in
            _ = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
        }
        _ = Glibc.send(descriptor, answer, answer.utf8.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }

    private static let httpRequiresTLS: String = {
        let body = #"{"error":"ERR","message":"this address requires TLS; use https:// instead of http://"}"#
        return "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nConnection: close\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }()

    // MARK: The client's end of a stream through TLS

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

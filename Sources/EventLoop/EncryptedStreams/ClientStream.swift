// The client's end of a stream through TLS, for requests to other nodes, and what was shown at the other end.

import CEvent
import COpenSSL
import TLS

extension ServerCertificate {
    /// A stream that is still to be connected. It owns its session.
    package static func streamOfClient(with context: TLSContext, on base: OpaquePointer, _ options: Int32) -> OpaquePointer? {
        guard let session = SSL_new(context.handle) else { return nil }
        if let stream = bufferevent_openssl_socket_new(base, -1, session, BUFFEREVENT_SSL_CONNECTING, options) { return stream }
        SSL_free(session)
        return nil
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

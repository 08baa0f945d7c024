// Certificates as bytes, by which they are known.

import COpenSSL

extension Certificate {
    var bytes: [UInt8] {
        let count = i2d_X509(handle, nil)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { room, filled in
            var end = room.baseAddress
            filled = max(0, Int(i2d_X509(handle, &end)))
        }
    }
}

extension TLSContext {
    /// The certificate that the other side of a session has shown; nil if it has shown none.
    package static func certificateShown(in session: OpaquePointer) -> [UInt8]? {
        SSL_get1_peer_certificate(session).map { Certificate($0).bytes }
    }

    /// For a client that knows which certificate it will be shown, and looks by itself. It shows its own if it has one.
    package static func pinning(showing files: TLSFiles) throws(TLSError) -> TLSContext {
        let context = try TLSContext(isServer: false)
        SSL_CTX_set_verify(context.handle, SSL_VERIFY_NONE, nil)
        if let certificate = files.certificate, let key = files.key { try context.use(certificate: certificate, key: key) }
        return context
    }
}

// Certificate, key and rules, from which the sessions of connections are made.

import COpenSSL

/// The files that one side of TLS is made of.
package struct TLSFiles: Equatable, Sendable {
    package var certificate: String?
    package var key: String?
    /// Certificates of the authorities for the other side's certificate.
    package var authority: String?

    package init(certificate: String? = nil, key: String? = nil, authority: String? = nil) {
        (self.certificate, self.key, self.authority) = (certificate, key, authority)
    }

    /// With another file.
    package func with(_ file: WritableKeyPath<TLSFiles, String?>, _ path: String) -> TLSFiles {
        var files = self
        files[keyPath: file] = path
        return files
    }
}

/// TLS 1.2 and later, without compression and renegotiation. Sessions keep the context that they were made from.
package final class TLSContext {
    package let handle: OpaquePointer
    /// Doubtful settings that do not prevent its use.
    package private(set) var warnings: [String] = []
    /// The certificate that it shows, as bytes; empty without one.
    package private(set) var shown: [UInt8] = []

    /// For a server. With an authority, clients must show a certificate that it vouches for.
    package static func server(_ files: TLSFiles) throws(TLSError) -> TLSContext {
        let context = try TLSContext(isServer: true)
        context.prepareServer()
        guard let certificate = files.certificate, let key = files.key else {
            throw TLSError("a certificate and its key belong together: --tls-cert FILE --tls-key FILE")
        }
        try context.use(certificate: certificate, key: key)
        if let authority = files.authority { try context.askForCertificates(of: authority) }
        return context
    }

    init(isServer: Bool) throws(TLSError) {
        guard let handle = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw TLSError("OpenSSL does not start: \(TLSError.reason())")
        }
        self.handle = handle
        _ = gamed_tls_set_min_version(handle, TLS1_2_VERSION)
        gamed_tls_set_options(handle)
    }

    deinit { SSL_CTX_free(handle) }

    private func prepareServer() {
        // Without this, no session that was authenticated with a certificate could be resumed.
        let name: [UInt8] = Array("gamed".utf8)
        SSL_CTX_set_session_id_context(handle, name, UInt32(name.count))
    }

    // MARK: Files

    func use(certificate path: String, key keyPath: String) throws(TLSError) {
        let chain = try PEMFile(path, "certificate").certificates()
        let key = try PEMFile(keyPath, "TLS key", isSecret: true).key()
        ERR_clear_error()
        guard SSL_CTX_use_certificate(handle, chain[0].handle) == 1 else {
            throw TLSError("the certificate in \(path) cannot be used: \(TLSError.reason())")
        }
        shown = chain[0].bytes
        for next in chain.dropFirst() {
            X509_up_ref(next.handle)
            if gamed_tls_add_to_chain(handle, next.handle) != 1 { X509_free(next.handle) }
        }
        guard SSL_CTX_use_PrivateKey(handle, key.handle) == 1, SSL_CTX_check_private_key(handle) == 1 else {
            ERR_clear_error()
            throw TLSError("the key in \(keyPath) does not belong to the certificate in \(path)")
        }
        if let fault = chain[0].untimely { warnings.append("the certificate in \(path) \(fault)") }
    }

    func trust(_ path: String, _ what: String) throws(TLSError) -> [Certificate] {
        let authorities = try PEMFile(path, what).certificates()
        let store = SSL_CTX_get_cert_store(handle)
        for authority in authorities { X509_STORE_add_cert(store, authority.handle) }
        ERR_clear_error()
        return authorities
    }

    private func askForCertificates(of path: String) throws(TLSError) {
        for authority in try trust(path, "certificates of clients' authorities") {
            SSL_CTX_add_client_CA(handle, authority.handle)
            if let fault = authority.untimely { warnings.append("a certificate in \(path) \(fault)") }
        }
        SSL_CTX_set_verify(handle, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }
}

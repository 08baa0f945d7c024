// A client's end of a connection through TLS, which waits for each answer.

import COpenSSL
import Glibc
import Posix
import Synchronization

/// One thread may read while another one writes: OpenSSL's calls take turns, and no thread waits for bytes within one.
package final class TLSClient: @unchecked Sendable {
    /// Of all clients' sockets.
    nonisolated(unsafe) private static let method = gamed_tls_make_socket_method()
    private let session: OpaquePointer
    /// Held during each call of OpenSSL.
    private let turn = Mutex(())
    /// Its owner closes it, after this.
    private let descriptor: Int32
    /// How long anything may take, in milliseconds; below zero for as long as it likes.
    private var timeout: Int32
    private let lastFault = Mutex<String?>(nil)
    /// Why the last call failed, if the other side has said so.
    package var fault: String? { lastFault.withLock { $0 } }

    /// Shakes hands, and believes a server that shows a certificate for this host. One that does not speak TLS may wait for more bytes for ever, so the
    /// handshake has its own limit.
    package init(
        _ descriptor: Int32, to host: String, _ files: TLSFiles, timeout: Duration?, handshakeLimit: Duration = .seconds(10)
    ) throws(TLSError) {
        let context = try TLSContext.client(files)
        guard let session = SSL_new(context.handle), gamed_tls_set_descriptor(session, Self.method, descriptor) == 1
        else {
            throw TLSError("cannot start OpenSSL: \(TLSError.reason())")
        }
        (self.session, self.descriptor) = (session, descriptor)
        let asked = timeout.map(Self.milliseconds) ?? -1
        let limit = Self.milliseconds(handshakeLimit)
        self.timeout = asked < 0 ? limit : min(asked, limit)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        expect(host)
        try shakeHands(with: host)
        self.timeout = asked
    }

    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        return Int32(clamping: max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000))
    }

    deinit { SSL_free(session) }

    /// Says farewell. The descriptor is still its owner's.
    package func close() {
        turn.withLock { _ in
            SSL_shutdown(session)
            ERR_clear_error()
        }
    }

    /// The certificate must be made out to this host.
    private func expect(_ host: String) {
        if TcpAddress.isNumeric(host) {
            X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host)
        } else {
            SSL_set1_host(session, host)
            _ = gamed_tls_set_server_name(session, host)
        }
    }

    private func shakeHands(with host: String) throws(TLSError) {
        while true {
            errno = 0
            let (status, error) = call { SSL_connect(session) }
            if status == 1 { return }
            guard waits(for: error) else { throw refusal(of: host) }
        }
    }

    private func refusal(of host: String) -> TLSError {
        if errno == EAGAIN { return TLSError("TLS handshake with \(host) failed: no response; does it speak TLS?") }
        let result = SSL_get_verify_result(session)
        if result != X509_V_OK {
            let reason = String(cString: X509_verify_cert_error_string(result))
            return TLSError(
                "the certificate of \(host) is not trusted: \(reason)", advice: "--tls-ca FILE names the authorities to trust")
        }
        let error = ERR_peek_error()
        if ERR_GET_LIB(error) == ERR_LIB_SSL, ERR_GET_REASON(error) == SSL_R_WRONG_VERSION_NUMBER {
            ERR_clear_error()
            return TLSError("the server at \(host) does not speak TLS", advice: "try without --tls")
        }
        return TLSError("TLS handshake with \(host) failed: \(error == 0 ? "connection closed" : TLSError.reason())")
    }

    /// A call of OpenSSL, and what it says of a result that is no success.
    private func call(_ body: () -> Int32) -> (status: Int32, error: Int32) {
        turn.withLock { _ in
            ERR_clear_error()
            let status = body()
            return (status, status > 0 ? SSL_ERROR_NONE : SSL_get_error(session, status))
        }
    }

    /// Whether it is worth another try: waits until it is.
    private func waits(for error: Int32) -> Bool {
        let events: Int32
        switch error {
        case SSL_ERROR_WANT_READ: events = POLLIN
        case SSL_ERROR_WANT_WRITE: events = POLLOUT
        default: return false
        }
        var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        var count = poll(&watched, 1, timeout)
        while count < 0, errno == EINTR { count = poll(&watched, 1, timeout) }
        if count == 0 { errno = EAGAIN }
        return count > 0
    }

    // MARK: Bytes

    /// As `send` on a descriptor that blocks.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            let (count, error) = call { SSL_write(session, bytes.baseAddress, Int32(clamping: bytes.count)) }
            if count > 0 { return Int(count) }
            guard waits(for: error) else { return failed(error) }
        }
    }

    /// As `read`; waits only if `isPatient`. Without data it fails with EAGAIN.
    package func read(into room: UnsafeMutableRawBufferPointer, isPatient: Bool) -> Int {
        while true {
            let (count, error) = call { SSL_read(session, room.baseAddress, Int32(clamping: room.count)) }
            if count > 0 { return Int(count) }
            if !isPatient, error == SSL_ERROR_WANT_READ {
                errno = EAGAIN
                return -1
            }
            errno = 0
            guard waits(for: error) else { return failed(error) }
        }
    }

    /// Nothing is left, or an error is.
    private func failed(_ error: Int32) -> Int {
        if errno == EAGAIN { return -1 }
        if error == SSL_ERROR_ZERO_RETURN { return 0 }
        if ERR_peek_error() != 0 { lastFault.withLock { $0 = TLSError.reason() } }
        errno = ECONNRESET
        return -1
    }
}

extension TLSContext {
    /// For a client, which believes the given authority, or those of this machine. It shows its certificate if it has one.
    package static func client(_ files: TLSFiles) throws(TLSError) -> TLSContext {
        let context = try TLSContext(isServer: false)
        if let authority = files.authority {
            _ = try context.trust(authority, "authorities' certificates")
        } else {
            SSL_CTX_set_default_verify_paths(context.handle)
        }
        SSL_CTX_set_verify(context.handle, SSL_VERIFY_PEER, nil)
        switch (files.certificate, files.key) {
        case (let certificate?, let key?): try context.use(certificate: certificate, key: key)
        case (nil, nil): break
        case (_?, nil), (nil, _?):
            throw .incompletePair
        }
        return context
    }
}

// MARK: - Errors of TLS

package struct TLSError: Error, Equatable, CustomStringConvertible {
    package enum Cause: Equatable, Sendable {
        /// A file cannot be read.
        case file(FileError)
        /// A file is not what it should be.
        case contents
        /// The other side, or OpenSSL.
        case peer
    }

    /// The problem, for a program that has none of our options.
    package let sentence: String
    /// What a user of our programs can do; nil if that is clear.
    private let advice: String?
    package let cause: Cause

    package init(_ sentence: String, _ cause: Cause = .peer, advice: String? = nil) {
        (self.sentence, self.cause, self.advice) = (sentence, cause, advice)
    }

    package var description: String { sentence + (advice.map { "; \($0)" } ?? "") }

    static let incompletePair = TLSError(
        "a certificate requires its key, and a key its certificate", .contents, advice: "--tls-cert FILE --tls-key FILE")

    /// OpenSSL's text for the oldest error in its queue.
    static func reason() -> String {
        let number = ERR_get_error()
        ERR_clear_error()
        return reason(of: number)
    }

    package static func reason(of number: UInt) -> String {
        guard number != 0, let text = ERR_reason_error_string(number) else { return "unknown error" }
        return String(cString: text)
    }
}

// MARK: - Certificate, key and rules, from which the sessions of connections are made.

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
    /// When that certificate expires, in seconds since 1970.
    package private(set) var expiry: Int?

    /// For a server. With an authority, clients must show a certificate that it vouches for.
    package static func server(_ files: TLSFiles) throws(TLSError) -> TLSContext {
        let context = try TLSContext(isServer: true)
        // Without this, no session that was authenticated with a certificate could be resumed.
        let name: [UInt8] = Array("gamed".utf8)
        SSL_CTX_set_session_id_context(context.handle, name, UInt32(name.count))
        guard let certificate = files.certificate, let key = files.key else {
            throw .incompletePair
        }
        try context.use(certificate: certificate, key: key)
        if let authority = files.authority { try context.askForCertificates(of: authority) }
        return context
    }

    init(isServer: Bool) throws(TLSError) {
        guard let handle = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw TLSError("cannot start OpenSSL: \(TLSError.reason())")
        }
        self.handle = handle
        _ = gamed_tls_set_min_version(handle, TLS1_2_VERSION)
        gamed_tls_set_options(handle)
    }

    deinit { SSL_CTX_free(handle) }

    // MARK: Files

    func use(certificate path: String, key keyPath: String) throws(TLSError) {
        let chain = try PEMFile(path, "certificate").certificates()
        let key = try PEMFile(keyPath, "TLS key", isSecret: true).key()
        ERR_clear_error()
        guard SSL_CTX_use_certificate(handle, chain[0].handle) == 1 else {
            throw TLSError("the certificate in \(path) cannot be used: \(TLSError.reason())", .contents)
        }
        (shown, expiry) = (chain[0].bytes, chain[0].expiry)
        for next in chain.dropFirst() {
            X509_up_ref(next.handle)
            if gamed_tls_add_to_chain(handle, next.handle) != 1 { X509_free(next.handle) }
        }
        guard SSL_CTX_use_PrivateKey(handle, key.handle) == 1, SSL_CTX_check_private_key(handle) == 1 else {
            ERR_clear_error()
            throw TLSError("the key in \(keyPath) does not match the certificate in \(path)", .contents)
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

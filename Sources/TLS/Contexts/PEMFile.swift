// A file of certificates, or of a key, as text between lines of dashes.

import COpenSSL
import Glibc
import Posix

/// The bytes of such a file, gone from memory when it is released.
final class PEMFile {
    private static let maxBytes = 1 << 20

    let path: String
    private var bytes: [UInt8]

    /// `what` is for the error. A key that others can read is refused.
    init(_ path: String, _ what: String, isSecret: Bool = false) throws(TLSError) {
        self.path = path
        do throws(FileError) {
            bytes = try PlainFile.bytes(path, what, isSecret: isSecret, atMost: Self.maxBytes)
        } catch {
            throw TLSError(error.description, .file(error))
        }
    }

    deinit {
        bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }

    /// Its bytes, as OpenSSL reads them.
    private func reading<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        bytes.withUnsafeBytes { bytes in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(source) }
            return body(source)
        }
    }

    // MARK: Contents

    /// All certificates, in their order.
    func certificates() throws(TLSError) -> [Certificate] {
        ERR_clear_error()
        var found: [Certificate] = []
        _ = reading { source in
            while let next = PEM_read_bio_X509(source, nil, nil, nil) { found.append(Certificate(next)) }
        }
        let error = ERR_peek_last_error()
        ERR_clear_error()
        // The end of the file shows as the lack of one more.
        let isEnd = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE
        guard isEnd || bytes.isEmpty else { throw TLSError("\(path) is damaged: \(TLSError.reason(of: error))", .contents) }
        guard !found.isEmpty else {
            throw TLSError(
                "no certificate in \(path): it must be a PEM file with a line '-----BEGIN CERTIFICATE-----'", .contents)
        }
        return found
    }

    /// Records that it was asked for one.
    private static let givesNoPassword:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = { _, _, _, asked in
            asked?.assumingMemoryBound(to: Bool.self).pointee = true
            return -1
        }

    func key() throws(TLSError) -> PrivateKey {
        ERR_clear_error()
        var isEncrypted = false
        let key = withUnsafeMutablePointer(to: &isEncrypted) { asked in
            reading { PEM_read_bio_PrivateKey($0, nil, Self.givesNoPassword, asked) } ?? nil
        }
        defer { ERR_clear_error() }
        if let key { return PrivateKey(key) }
        guard !isEncrypted else {
            throw TLSError(
                "the key in \(path) is encrypted, and gamed cannot ask for its password; "
                    + "'openssl pkey -in \(path) -out FILE' writes it without", .contents)
        }
        throw TLSError(
            "no private key in \(path): it must be a PEM file with a line '-----BEGIN PRIVATE KEY-----'", .contents)
    }
}

// MARK: - Owners of OpenSSL's certificates and keys

final class Certificate {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { X509_free(handle) }

    /// The error in its dates; nil without one.
    var untimely: String? {
        if X509_cmp_current_time(X509_get0_notAfter(handle)) < 0 { return "has expired" }
        if X509_cmp_current_time(X509_get0_notBefore(handle)) > 0 { return "is not valid yet" }
        return nil
    }

    /// When it expires, in seconds since 1970; nil if its date cannot be read.
    var expiry: Int? {
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(handle)) == 1 else { return nil }
        return time(nil) + Int(days) * 86_400 + Int(seconds)
    }
}

final class PrivateKey {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { EVP_PKEY_free(handle) }
}

// MARK: - Certificates as bytes, by which they are known

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

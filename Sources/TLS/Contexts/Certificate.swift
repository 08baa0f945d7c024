// Owners of OpenSSL's certificates and keys.

import COpenSSL

final class Certificate {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { X509_free(handle) }

    /// What is wrong with its dates; nil if nothing is.
    var untimely: String? {
        if X509_cmp_current_time(X509_get0_notAfter(handle)) < 0 { return "has expired" }
        if X509_cmp_current_time(X509_get0_notBefore(handle)) > 0 { return "is not valid yet" }
        return nil
    }
}

final class PrivateKey {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { EVP_PKEY_free(handle) }
}

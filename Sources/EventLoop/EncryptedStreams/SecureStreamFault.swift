// What has ended a stream against its will.

import COpenSSL
import TLS

package struct SecureStreamFault {
    package let isInHandshake: Bool
    private let error: UInt

    init(isInHandshake: Bool, error: UInt) { (self.isInHandshake, self.error) = (isInHandshake, error) }

    /// OpenSSL's words; nil if the client has just hung up.
    package var reason: String? { error == 0 ? nil : TLSError.reason(of: error) }

    /// Whether the client does not speak TLS, and would understand a sentence.
    package var isPlainText: Bool {
        error != 0 && isInHandshake && ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_WRONG_VERSION_NUMBER
    }
}

// Why TLS does not work, in one sentence.

import COpenSSL

package struct TLSError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension TLSError {
    /// What OpenSSL says of the oldest error that nobody has taken from it.
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

// A token: it authenticates a network client. The client has the secret; gamed keeps only its SHA-256.

import TLS
import Posix

package final class Token {
    /// Identifies the token in lookups, and its clients in the history.
    package let id: String
    package let digest: Digest
    package let grant: Grant
    /// As it stands in its file.
    package let line: TokenLine
    let usage: TokenUsage

    package init(_ line: TokenLine, _ usage: TokenUsage = TokenUsage()) {
        (self.line, id, digest, self.usage) = (line, line.id, line.digest, usage)
        grant = Grant(name: line.id, role: line.role, scope: line.scope)
    }

    /// A text of today's form, which is a master's.
    package convenience init(_ text: String, from whence: String) throws(TokenError) {
        self.init(try TokenLine(secret: text, from: whence))
    }

    /// Tells it from another of the same name, for logins that outlive the process.
    package var fingerprint: String { String(digest.hexadecimal.prefix(16)) }
}

/// Explains why there is no token, or lists the problems of a file of tokens, one line each.
package struct TokenError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

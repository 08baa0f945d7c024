// Authentication by token.

import RESP

/// Holds the daemon's one token, if it has one.
package final class Access {
    /// Wrong tokens before a client is cut off.
    package static let mostWrongTokens = 3

    package var token: Token?
    /// Wrong tokens since the start.
    package private(set) var wrongTokens = 0

    package init(token: Token? = nil) {
        self.token = token
    }

    /// How a new network client is trusted.
    package var networkTrust: ClientTrust { token == nil ? .guest : .stranger }

    /// Whether user name and token are right. The only user is `default`, as in Redis.
    func admits(user: Argument?, _ guess: Argument) -> Bool {
        let isRight = token?.matches(guess.bytes) ?? false
        guard isRight, user.map({ $0.isWord("default") }) ?? true else {
            wrongTokens += 1
            return false
        }
        return true
    }
}

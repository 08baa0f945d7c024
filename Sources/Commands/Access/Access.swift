// Who may come in: the token, and what comes of a guess.

import RESP

/// The daemon's one token, or none.
package final class Access {
    /// What a client may guess wrongly before it is cut off.
    package static let mostWrongGuesses = 3

    package var token: Token?
    /// How many guesses were wrong since the start.
    package private(set) var wrongGuesses = 0

    package init(token: Token? = nil) {
        self.token = token
    }

    /// What somebody is who has just come over the network.
    package var newcomer: Standing { token == nil ? .guest : .stranger }

    /// Whether a client may come in with this name and this word. There is one name, `default`, as with Redis.
    func admits(user: Argument?, _ guess: Argument) -> Bool {
        let isRight = token?.matches(guess.bytes) ?? false
        guard isRight, user.map({ $0.isWord("default") }) ?? true else {
            wrongGuesses += 1
            return false
        }
        return true
    }
}

// Access control: admits clients by their token or their user on this machine, and gives them a grant.

import Posix
import RESP
import Timers

package final class Access {
    /// Wrong tokens before a client is cut off.
    package static let maxWrongTokens = 3

    package private(set) var tokens: TokenTable
    /// Users and groups of this machine who may use the UNIX socket.
    package var local: LocalAccess
    /// Whether clients on this machine are asked for no token over TCP and HTTP.
    package let trustsLoopback: Bool
    /// Wrong tokens since the start.
    package private(set) var wrongTokens = 0
    private var tries = FailedAttempts()
    private let clock = SystemClock()

    package init(tokens: TokenTable = .none, local: LocalAccess = LocalAccess(), trustsLoopback: Bool = false) {
        (self.tokens, self.local, self.trustsLoopback) = (tokens, local, trustsLoopback)
    }

    /// The grant of a network client before it authenticates.
    package func networkGrant(isLoopback: Bool) -> Grant {
        !tokens.isAsked || trustsLoopback && isLoopback ? .guest : .stranger
    }

    package func replace(_ new: TokenTable) { tokens = new.keeping(tokens) }

    /// Whether a token is unchanged since it was given out.
    package func isInForce(_ token: Token) -> Bool { tokens[token.id] === token }

    /// The token, or why not; `machine` is where it comes from. The user is `default` or the token's name, if there is one.
    package func admit(_ text: String, of user: String? = nil, from machine: String?) throws(CommandError) -> Token {
        let (now, subject) = (clock.now, TokenTable.subject(text, of: user))
        let token = tokens.find(text, of: user)
        if let machine, let wait = tries.wait(machine, at: now), token == nil || tries.hasGuessed(subject, machine) {
            throw CommandError(
                .limit,
                "\(FailedAttempts.maxCount) wrong tokens came from this address within a minute; try again in \(wait.components.seconds + 1) s"
            )
        }
        if let token { return token }
        wrongTokens += 1
        if let machine { tries.add(subject, machine, at: now) }
        throw CommandError(.wrongToken, "this is no token, or not that user's")
    }
}

// All tokens of a daemon, found by their identifiers.

import Memory
import Sessions
import TLS

package struct TokenTable {
    private var tokens: [String: Token] = [:]
    /// Whether clients are asked for a token at all; then there may still be none that would do.
    package let isAsked: Bool

    /// Clients are not asked for a token.
    package static var none: TokenTable { TokenTable(isAsked: false) }

    private init(isAsked: Bool) { self.isAsked = isAsked }

    package init(_ lines: [TokenLine]) {
        isAsked = true
        for line in lines { tokens[line.id] = Token(line) }
    }

    package subscript(id: String) -> Token? { tokens[id] }
    package var all: [Token] { tokens.values.sorted { $0.id < $1.id } }
    package var count: Int { tokens.count }

    /// Returns this table with the old objects of unchanged tokens. A changed token keeps its usage counts.
    package func keeping(_ old: TokenTable) -> TokenTable {
        var table = self
        for (id, token) in tokens {
            guard let known = old.tokens[id] else { continue }
            table.tokens[id] = known.line.means(token.line) ? known : Token(token.line, known.usage)
        }
        return table
    }

    /// A session was restarted: it counts against the same token's quota as before.
    func countRestart(of name: ByteString, from old: Life, to new: Life) {
        for token in tokens.values { token.usage.countRestart(of: name, from: old, to: new) }
    }

    /// A session of this name ends: it no longer counts against a quota.
    func forget(_ name: ByteString) {
        for token in tokens.values { token.usage.forget(name) }
    }

    /// The token that has this secret: `id.secret`, or for a user other than `default` the secret of the user's token. Each is compared in
    /// constant time, and only one or two are.
    package func find(_ text: String, of user: String? = nil) -> Token? {
        guard text.utf8.count <= TokenLine.maxSecretLength else { return nil }
        if let user, user != "default" {
            return match(user, text) ?? (text.hasPrefix(user + ".") ? match(user, String(text.dropFirst(user.count + 1))) : nil)
        }
        if let plain = match(TokenLine.plainID, text) { return plain }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? match(String(parts[0]), String(parts[1])) : nil
    }

    /// Compares digests even if there is no such token, so that a reply's delay does not reveal which tokens exist.
    private func match(_ id: String, _ secret: String) -> Token? {
        let guess = Digest(of: secret)
        let isRight = guess == (tokens[id]?.line.digest ?? Self.nothing)
        return isRight ? tokens[id] : nil
    }

    private static let nothing = Digest(of: randomSecret())

    /// Which token a guess was about.
    static func subject(_ text: String, of user: String?) -> String {
        if let user, user != "default" { return user }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : TokenLine.plainID
    }
}

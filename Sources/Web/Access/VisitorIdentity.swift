// How a client of the page was admitted, as the file of logins and the header of a forwarded request have it.

import Commands

/// Every node knows tokens by name and fingerprint; their secrets do not travel.
enum VisitorIdentity: Equatable {
    /// A client that has logged in with a link.
    case link
    /// A client from this address, without a login where none is required.
    case guest(String)
    /// A client with the token of this name. One of the same name that has another fingerprint is another token.
    case token(String, fingerprint: String)

    static func token(_ token: Token) -> Self { .token(token.id, fingerprint: token.fingerprint) }

    init(_ visitor: Visitor) {
        if let token = visitor.token {
            self = .token(token)
        } else {
            self = visitor.grant === Grant.guest ? .guest(visitor.actor) : .link
        }
    }

    /// `link`, `guest:10.0.0.7:5123` or `token:room7:4d967a30111bf29f`. There is no blank in it.
    var text: String {
        switch self {
        case .link: "link"
        case .guest(let address): "guest:\(address)"
        case .token(let id, let fingerprint): "token:\(id):\(fingerprint)"
        }
    }

    init?(_ text: Substring) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts[0], parts.count) {
        case ("link", 1): self = .link
        case ("guest", 2): self = .guest(String(parts[1]))
        case ("token", 2):
            guard let colon = parts[1].lastIndex(of: ":") else { return nil }
            self = .token(String(parts[1][..<colon]), fingerprint: String(parts[1][parts[1].index(after: colon)...]))
        default: return nil
        }
    }
}

extension TokenTable {
    /// Nil if it is gone, or another one has its name.
    func token(_ id: String, fingerprint: String) -> Token? {
        self[id].flatMap { $0.fingerprint == fingerprint ? $0 : nil }
    }
}

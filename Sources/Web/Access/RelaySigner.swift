// A header in which one node tells another about the client of a forwarded request. It is signed with the key that the other has published.

import Commands
import TLS
import HTTP

/// A client that another node has admitted. Every node knows tokens by name and fingerprint; their secrets do not travel.
enum RelayedIdentity: Equatable {
    /// A client that has logged in with a link.
    case link
    /// A client from this address, without a login where none is required.
    case guest(String)
    case token(String, fingerprint: String)

    init(_ visitor: Visitor) {
        if let token = visitor.token {
            self = .token(token.id, fingerprint: token.fingerprint)
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

/// Signs headers, and checks signed ones, with a key that both sides know.
struct RelaySigner {
    static let header = "Gamed-Relay"
    /// The header with the request's id. It is signed, too: with another one, an event would count twice.
    static let idHeader = "Idempotency-Key"
    /// A pass is valid for this time. Nodes have the database's time.
    private static let milliseconds = 30_000

    let key: String

    /// The value of the header.
    func write(
        _ bearer: RelayedIdentity, at now: Int, _ method: String, _ target: String, _ body: [UInt8], id: String? = nil
    ) -> String {
        "\(now) \(bearer.text) \(signature(bearer.text, now, method, target, body, id))"
    }

    /// Nil if it was not signed with this key, for this request, or not lately.
    func read(
        _ value: String, at now: Int, _ method: String, _ target: String, _ body: [UInt8], id: String? = nil
    ) -> RelayedIdentity? {
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let time = Int(words[0]), abs(now &- time) <= Self.milliseconds,
            let given = Digest(hexadecimal: words[2]),
            let right = Digest(hexadecimal: signature(String(words[1]), time, method, target, body, id)), given == right
        else { return nil }
        return RelayedIdentity(words[1])
    }

    /// The inner digest keeps the outer one from being gone on with.
    private func signature(
        _ bearer: String, _ time: Int, _ method: String, _ target: String, _ body: [UInt8], _ id: String?
    ) -> String {
        let content = body.withUnsafeBytes { Digest(of: $0).hexadecimal }
        let inner = Digest(
            of: ([key, "\(time)", bearer, method, target, content] + (id.map { [$0] } ?? [])).joined(separator: "\n")
        ).hexadecimal
        return Digest(of: "\(key)\n\(inner)").hexadecimal
    }
}

// A header in which one node tells another about the client of a forwarded request. It is signed with the key that the other has published.

import TLS

/// Signs headers, and checks signed ones, with a key that both sides know.
struct RelaySigner {
    static let header = "Gamed-Relay"
    /// The header with the request's id. It is signed, too: with another one, an event would count twice.
    static let idHeader = "Idempotency-Key"
    /// A pass is valid for this time. Nodes have the database's time.
    private static let milliseconds: UInt = 30_000

    let key: String

    /// The value of the header.
    func write(
        _ bearer: VisitorIdentity, at now: Int, _ method: String, _ target: String, _ body: [UInt8], id: String? = nil
    ) -> String {
        "\(now) \(bearer.text) \(signature(bearer.text, now, method, target, body, id))"
    }

    /// Nil if it was not signed with this key, for this request, or not lately.
    func read(
        _ value: String, at now: Int, _ method: String, _ target: String, _ body: [UInt8], id: String? = nil
    ) -> VisitorIdentity? {
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let time = Int(words[0]), (now &- time).magnitude <= Self.milliseconds,
            let given = Digest(hexadecimal: words[2]),
            let right = Digest(hexadecimal: signature(String(words[1]), time, method, target, body, id)), given == right
        else { return nil }
        return VisitorIdentity(words[1])
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

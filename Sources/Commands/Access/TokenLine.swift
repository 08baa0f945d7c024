// A line of the token file: `room7 play sessions=room-7-* sha256=… # the screen at the door`.

import Texts
import TLS

package struct TokenLine: Equatable, Sendable, CustomStringConvertible {
    package let id: String
    package var role: Role
    package var scope: SessionScope?
    package var quota = Quota()
    package var digest: Digest
    /// For people.
    package var comment: String?

    /// A secret that clients send without an identifier is compared with the token of this id.
    package static let plainID = "token"
    static let minSecretLength = 16
    package static let maxSecretLength = 1_024
    private static let maxIDLength = 64
    private static let reserved = ["default", "gamed", "guest", "page", "stranger"]

    package init(id: String, role: Role, secret: String) throws(AccessError) {
        try Self.check(id)
        (self.id, self.role, digest) = (id, role, Digest(of: secret))
    }

    /// A secret alone: printable ASCII without blanks, so that it is one word of a request. `whence` is for the error.
    package init(secret text: String, from whence: String) throws(AccessError) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw AccessError("the token \(whence) is not one word of printable ASCII; \(Self.example)")
        }
        guard (Self.minSecretLength...Self.maxSecretLength).contains(text.utf8.count) else {
            throw AccessError(
                "the token \(whence) has \(text.utf8.count) characters; it needs \(Self.minSecretLength) to \(Self.maxSecretLength): "
                    + Self.example)
        }
        (id, role, digest) = (Self.plainID, .master, Digest(of: text))
    }

    private static let example = "'head -c 24 /dev/urandom | base64' generates one"

    package init(parsing text: Substring) throws(AccessError) {
        var words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })[...]
        if let mark = words.firstIndex(where: { $0.hasPrefix("#") }) {
            comment = String(text[words[mark].startIndex...].drop { $0 == "#" || $0 == " " })
            words = words[..<mark]
        }
        guard words.count >= 2 else {
            throw AccessError("a token is NAME ROLE … sha256=DIGITS, and this line has one word")
        }
        id = String(words[0])
        try Self.check(id)
        role = try Role(named: String(words[1]), of: "the token \(id.unlessSecret)")
        var digest: Digest?
        var seen: Set<Substring> = []
        for word in words.dropFirst(2) {
            let name = word.prefix { $0 != "=" }
            guard seen.insert(name).inserted else {
                throw AccessError("the token \(id.unlessSecret) has \(name)= twice")
            }
            try Self.read(word, of: id, &scope, &quota, &digest)
        }
        guard let digest else {
            throw AccessError("the token \(id.unlessSecret) has no sha256=…; 'gamectl token new' creates one")
        }
        self.digest = digest
    }

    private static func read(
        _ word: Substring, of id: String, _ scope: inout SessionScope?, _ quota: inout Quota, _ digest: inout Digest?
    ) throws(AccessError) {
        let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2 else { throw unknown(word, id) }
        switch sides[0] {
        case "sessions": scope = try .restricting(to: sides[1])
        case "quota-sessions": quota.sessions = try Quota.sessions(sides[1])
        case "rate": quota.rate = try Quota.rate(sides[1])
        case "sha256":
            guard let read = Digest(hexadecimal: sides[1]) else {
                throw AccessError(
                    "the token \(id.unlessSecret) needs 64 hexadecimal digits after sha256=, not "
                        + "character".counted(sides[1].count) + "; 'gamectl token new' creates a line")
            }
            digest = read
        default: throw unknown(word, id)
        }
    }

    private static func unknown(_ word: Substring, _ id: String) -> AccessError {
        AccessError(
            "unknown word \(String(word).unlessSecret) for the token \(id.unlessSecret); available: sessions=PATTERN,…, quota-sessions=N, rate=N/s and sha256=DIGITS"
        )
    }

    private static func check(_ id: String) throws(AccessError) {
        let isPlain = id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        guard isPlain, (1...maxIDLength).contains(id.utf8.count) else {
            throw AccessError(
                "a token's name has at most \(maxIDLength) letters, digits, - and _; \(id.unlessSecret) is invalid")
        }
        guard !reserved.contains(id) else {
            throw AccessError("the name '\(id)' is reserved; give the token another")
        }
    }

    /// Whether both lines grant the same to the same token, regardless of their comments.
    func means(_ other: TokenLine) -> Bool {
        var other = other
        other.comment = comment
        return self == other
    }

    package var description: String {
        var words = [id, role.rawValue]
        if let scope { words.append("sessions=\(scope)") }
        if let most = quota.sessions { words.append("quota-sessions=\(most)") }
        if let rate = quota.rate { words.append("rate=\(rate)/s") }
        words.append("sha256=\(digest.hexadecimal)")
        if let comment { words.append("# \(comment)") }
        return words.joined(separator: " ")
    }
}

extension String {
    /// For an error, in quotes; only its length if it may be a secret in the wrong place, which no log shall have.
    var unlessSecret: String {
        utf8.count < TokenLine.minSecretLength ? "'\(self)'" : "(\(count) characters)"
    }
}

// MARK: - A token: it authenticates a network client. The client has the secret; gamed keeps only its SHA-256.

package final class Token {
    /// Identifies the token in lookups, and its clients in the history.
    package var id: String { line.id }
    package let grant: Grant
    /// As it stands in its file.
    package let line: TokenLine
    let usage: TokenUsage

    package init(_ line: TokenLine, _ usage: TokenUsage = TokenUsage()) {
        (self.line, self.usage) = (line, usage)
        grant = Grant(name: line.id, role: line.role, scope: line.scope)
    }

    /// Tells it from another of the same name, for logins that outlive the process.
    package var fingerprint: String { String(line.digest.hexadecimal.prefix(16)) }
}

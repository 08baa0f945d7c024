// Logins: with a link that works once, or with the token.

import Commands
import Memory
import Posix

/// Browsers that have logged in, each known by a secret in a cookie. They survive a restart, so that a kiosk goes on by itself.
final class Logins {
    private struct Login {
        let secret: Secret
        let identity: VisitorIdentity
    }

    /// Above, the oldest one goes: of a token that has more than its share, if there is one.
    static let max = 256
    /// Limit of unused links.
    private static let maxLinks = 16

    private var logins: [Login] = []
    private var links: [Secret] = []
    private let file: SmallFile?
    private let complain: (String) -> Void
    private let limits: () -> Limits
    private let consumer: (VisitorIdentity) -> Consumer

    /// `consumer` returns the consumer that a login of this kind counts for.
    init(
        file path: String?, limits: @escaping () -> Limits, consumer: @escaping (VisitorIdentity) -> Consumer,
        complain: @escaping (String) -> Void
    ) {
        (self.limits, self.consumer) = (limits, consumer)
        self.complain = complain
        var file: SmallFile?
        do throws(FileError) {
            if let path { file = try SmallFile(own: path) }
            logins = Self.read(try file?.text() ?? "")
        } catch {
            file = nil
            complain("logins will not survive a restart: \(error)")
        }
        self.file = file
    }

    /// A secret for a link that works once.
    func newLink() -> Secret {
        let secret = Secret()
        links.append(secret)
        if links.count > Self.maxLinks { links.removeFirst() }
        return secret
    }

    /// Nil if the link was used already, or never was one.
    func logIn(link: String) -> Secret? {
        guard let place = links.firstIndex(where: { $0.matches(link) }) else { return nil }
        links.remove(at: place)
        return add(.link)
    }

    func add(_ identity: VisitorIdentity) -> Secret {
        let secret = Secret()
        logins.append(Login(secret: secret, identity: identity))
        if logins.count > Self.max { makeRoom() }
        keep()
        return secret
    }

    var count: Int { logins.count }

    /// The newest login stays.
    private func makeRoom() {
        let uses = logins.dropLast().map { (consumer: consumer($0.identity), amount: 1) }
        var displacement = Displacement(uses, of: .logins, Self.max, limits())
        if let index = displacement.pop() { logins.remove(at: index) }
    }

    func identity(of cookie: String) -> VisitorIdentity? { logins.first { $0.secret.matches(cookie) }?.identity }

    /// Returns whether there was such a login.
    func logOut(_ cookie: String) -> Bool {
        let count = logins.count
        logins.removeAll { $0.secret.matches(cookie) }
        guard logins.count < count else { return false }
        keep()
        return true
    }

    /// Tokens have changed: ends the logins of tokens that are gone.
    func forgetTokens(but tokens: TokenTable) {
        logins.removeAll { login in
            switch login.identity {
            case .link, .guest: false
            case .token(let id, let fingerprint): tokens.token(id, fingerprint: fingerprint) == nil
            }
        }
        keep()
    }

    // MARK: Keeping

    private func keep() {
        guard let file else { return }
        do {
            try file.replace(with: logins.map { "\($0.identity.text) \($0.secret)\n" }.joined())
        } catch {
            complain("cannot write logins: \(error)")
        }
    }

    /// A line that is damaged is no login.
    private static func read(_ text: String) -> [Login] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let identity = VisitorIdentity(words[0]), let secret = Secret(words[1]) else { return nil }
            return Login(secret: secret, identity: identity)
        }
    }
}

// MARK: - Secrets that the daemon makes up

/// 256 random bits, from the system, as hexadecimal digits.
struct Secret: Hashable, CustomStringConvertible {
    let description: String

    init() {
        var generator = SystemRandomNumberGenerator()
        description = (0..<4).map { _ in (generator.next() as UInt64).hexadecimal }.joined()
    }

    /// One that has been kept; nil if it has another form.
    init?(_ text: Substring) {
        guard text.utf8.count == 64, text.allSatisfy(\.isHexDigit) else { return nil }
        description = String(text)
    }

    /// Takes constant time for a guess of the right length.
    func matches(_ guess: some StringProtocol) -> Bool {
        guard guess.utf8.count == description.utf8.count else { return false }
        return zip(guess.utf8, description.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

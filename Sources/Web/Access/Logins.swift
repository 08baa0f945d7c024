// Who has logged in: with a link that works once, or with the token.

import Posix

/// Browsers that have logged in, each known by a secret in a cookie. They survive a restart, so that a kiosk goes on by itself.
final class Logins {
    /// How somebody has logged in.
    enum Way: String {
        case link, token
    }

    private struct Login {
        let secret: Secret
        let way: Way
    }

    /// The oldest ones go.
    private static let most = 256
    /// Links that nobody has used yet.
    private static let mostLinks = 16

    private var logins: [Login] = []
    private var links: [Secret] = []
    private let file: SmallFile?
    private let complain: (String) -> Void

    init(file path: String?, complain: @escaping (String) -> Void) {
        self.complain = complain
        var file: SmallFile?
        do throws(FileError) {
            if let path { file = try SmallFile(own: path) }
            logins = Self.read(try file?.text() ?? "")
        } catch {
            file = nil
            complain("logins are not kept over a restart: \(error)")
        }
        self.file = file
    }

    /// A secret for a link that works once.
    func newLink() -> Secret {
        let secret = Secret()
        links.append(secret)
        if links.count > Self.mostLinks { links.removeFirst() }
        return secret
    }

    /// Nil if the link was used already, or never was one.
    func logIn(link: String) -> Secret? {
        guard let place = links.firstIndex(where: { $0.matches(link) }) else { return nil }
        links.remove(at: place)
        return add(.link)
    }

    func add(_ way: Way) -> Secret {
        let secret = Secret()
        logins.append(Login(secret: secret, way: way))
        if logins.count > Self.most { logins.removeFirst() }
        keep()
        return secret
    }

    func way(of cookie: String) -> Way? { logins.first { $0.secret.matches(cookie) }?.way }

    func logOut(_ cookie: String) {
        logins.removeAll { $0.secret.matches(cookie) }
        keep()
    }

    /// The token has changed: who came with the old one comes again.
    func forgetTokens() {
        logins.removeAll { $0.way == .token }
        keep()
    }

    // MARK: Keeping

    private func keep() {
        guard let file else { return }
        do {
            try file.replace(with: logins.map { "\($0.way.rawValue) \($0.secret)\n" }.joined())
        } catch {
            complain("logins could not be written: \(error)")
        }
    }

    /// A line that is damaged is no login.
    private static func read(_ text: String) -> [Login] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let way = Way(rawValue: String(words[0])), let secret = Secret(words[1]) else { return nil }
            return Login(secret: secret, way: way)
        }
    }
}

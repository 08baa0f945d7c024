// Logins: with a link that works once, or with the token.

import Commands
import Dispatch
import EventLoop
import Logging
import Memory
import Posix
import RESP
import TLS

/// Browsers that have logged in, each known by a secret in a cookie, of which only the digest is kept. They survive a restart, so that a kiosk
/// goes on by itself.
final class Logins {
    private struct Login {
        let digest: Digest
        let identity: VisitorIdentity
    }

    /// Above, the one renewed longest ago goes: of a token that has more than its share, if there is one.
    static let max = 256
    /// Limit of unused links.
    private static let maxLinks = 16

    private var logins: [Login] = []
    private var links: [Digest] = []
    private let file: LoginFile?
    private unowned let host: Host

    init(file path: String?, of host: Host, on loop: Loop) throws(LoopFailure) {
        self.host = host
        var file: SmallFile?
        do throws(FileError) {
            if let path { file = try SmallFile(own: path) }
            logins = Self.read(try file?.text() ?? "")
        } catch {
            file = nil
            host.log.warning("the page: logins will not survive a restart: \(error)")
        }
        self.file = try file.map { file throws(LoopFailure) in try LoginFile(file, on: loop, host.log) }
    }

    /// A secret for a link that works once.
    func newLink() -> String {
        let secret = randomSecret()
        links.append(Digest(of: secret))
        if links.count > Self.maxLinks { links.removeFirst() }
        return secret
    }

    /// Returns false if the link was used already, or never was one.
    func consume(link: String) -> Bool {
        guard let place = links.firstIndex(of: Digest(of: link)) else { return false }
        links.remove(at: place)
        return true
    }

    /// Calls `onDone` with the login's secret once a restart would find it.
    func add(_ identity: VisitorIdentity, onDone: @escaping (String) -> Void) {
        let secret = randomSecret()
        logins.append(Login(digest: Digest(of: secret), identity: identity))
        if logins.count > Self.max { makeRoom() }
        save { onDone(secret) }
    }

    var count: Int { logins.count }

    /// Throws if the disk is so slow that many answers wait for it: clients that hang up would add more without bound.
    func checkBacklog() throws(CommandError) {
        guard let file, file.waiting.count >= Self.max else { return }
        throw CommandError(.tryAgain, "\(Self.max) logins and logouts wait for the disk; try again in a moment")
    }

    /// The newest login stays.
    private func makeRoom() {
        let uses = logins.dropLast().map { (consumer: consumer($0.identity), amount: 1) }
        var displacement = Displacement(uses, of: .logins, Self.max, host.limits)
        if let index = displacement.pop() { logins.remove(at: index) }
    }

    /// The consumer that a login counts for.
    private func consumer(_ identity: VisitorIdentity) -> Consumer {
        switch identity {
        case .link: .privileged
        case .guest: .nobody
        case .token(let id, _): host.access.tokens[id].map { Consumer($0.grant, $0, machine: nil) } ?? .nobody
        }
    }

    func identity(of cookie: String) -> VisitorIdentity? { index(of: cookie).map { logins[$0].identity } }

    private func index(of cookie: String) -> Int? {
        let digest = Digest(of: cookie)
        return logins.firstIndex { $0.digest == digest }
    }

    /// Makes it the newest login, which ends last. False if there is no such login. The next change saves the order.
    func renew(_ cookie: String) -> Bool {
        guard let index = index(of: cookie) else { return false }
        logins.append(logins.remove(at: index))
        return true
    }

    /// Calls `onDone` once a restart would not find the login.
    func logOut(_ cookie: String, onDone: @escaping () -> Void) {
        if let index = index(of: cookie) { logins.remove(at: index) }
        save(onDone: onDone)
    }

    /// Tokens have changed: ends the logins of tokens that are gone.
    func forgetTokens(but tokens: TokenTable) {
        logins.removeAll { login in
            switch login.identity {
            case .link, .guest: false
            case .token(let id, let fingerprint): tokens.token(id, fingerprint: fingerprint) == nil
            }
        }
        save {}
    }

    /// Returns once all changes are in the file.
    func finish() { file?.finish() }

    // MARK: The file

    private func save(onDone: @escaping () -> Void) {
        guard let file else { return onDone() }
        file.replace(with: logins.map { "\($0.identity.text) \($0.digest.hexadecimal)\n" }.joined(), onDone: onDone)
    }

    /// A line that is damaged is no login.
    private static func read(_ text: String) -> [Login] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let identity = VisitorIdentity(words[0]), let digest = Digest(hexadecimal: words[1])
            else { return nil }
            return Login(digest: digest, identity: identity)
        }
    }
}

// MARK: - The file of logins

/// Written on another thread, as no client may wait for the disk. While it is written, only the newest text waits.
private final class LoginFile {
    private let file: SmallFile
    private let queue = DispatchQueue(label: "gamed.logins")
    private let writes: LoopWork<FileError?>
    private let log: Log
    private var isWriting = false
    private var next: String?
    /// Called once `next` is written.
    private(set) var waiting: [() -> Void] = []

    init(_ file: SmallFile, on loop: Loop, _ log: Log) throws(LoopFailure) {
        (self.file, self.log) = (file, log)
        writes = try LoopWork(on: loop, queue)
    }

    /// Calls `onDone` once the file has this text or a newer one, or cannot be written.
    func replace(with text: String, onDone: @escaping () -> Void) {
        next = text
        waiting.append(onDone)
        if !isWriting { write() }
    }

    private func write() {
        guard let text = exchange(&next, with: nil) else { return }
        let written = exchange(&waiting, with: [])
        isWriting = true
        writes.run { [file] in
            file.failure(replacingWith: text)
        } onDone: { [unowned self] failure in
            isWriting = false
            report(failure)
            written.forEach { $0() }
            write()
        }
    }

    private func report(_ failure: FileError?) {
        if let failure { log.warning("the page: cannot write logins: \(failure)") }
    }

    /// The loop has ended: writes what waits.
    func finish() {
        queue.sync {}
        if let text = exchange(&next, with: nil) { report(file.failure(replacingWith: text)) }
    }
}

extension SmallFile {
    fileprivate func failure(replacingWith text: String) -> FileError? {
        do throws(FileError) { try replace(with: text) } catch { return error }
        return nil
    }
}

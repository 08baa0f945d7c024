// Checks that a request comes from one of the daemon's pages, and authenticates its client.

import Commands
import HTTP
import Logging
import Posix
import RESP

/// A client that sends requests over HTTP.
struct Visitor {
    let grant: Grant
    /// The actor that the history records.
    let actor: String
    /// Nil for a client without a token.
    var token: Token?

    var trust: ClientTrust { grant.trust }

    init(_ grant: Grant, actor: String) { (self.grant, self.actor) = (grant, actor) }

    init(_ token: Token) { (grant, actor, self.token) = (token.grant, token.id, token) }
}

extension Consumer {
    /// A forwarded request counts for its token, or for the address that the other node names, and not for the node.
    init(_ visitor: Visitor, _ peer: HTTPPeer, isRelayed: Bool) {
        let named = visitor.token == nil ? HostAndPort(visitor.actor)?.host ?? visitor.actor : nil
        self.init(visitor.grant, visitor.token, machine: isRelayed ? named : peer.machine)
    }
}

extension CommandError {
    func shown(to visitor: Visitor) -> CommandError { CommandError(code, sentence(for: visitor.grant), facts) }
}

enum Credentials {
    case token(String)
    case cookie(String)
    /// Another node has authenticated the client.
    case relayed(VisitorIdentity)
    case none

    var isRelayed: Bool { if case .relayed = self { true } else { false } }

    /// The error for credentials that admit no client.
    var authenticationError: CommandError {
        switch self {
        case .token(let text) where text.isEmpty:
            CommandError(.notAuthenticated, "the header Authorization has no token; its form is: Authorization: Bearer TOKEN")
        case .token:
            CommandError(
                .wrongToken,
                "unknown token in the header Authorization; gamectl token list --file FILE lists the known ones")
        case .cookie:
            CommandError(
                .notAuthenticated, "the login has expired, or its token was revoked; log in again at /login")
        case .relayed, .none:
            CommandError(.notAuthenticated, "log in first, at /login, or send a token: Authorization: Bearer TOKEN")
        }
    }

    /// `cookie` is the name of the cookie that has a login.
    init(_ request: HTTPRequest, cookie: String) {
        if let header = request.header("Authorization") {
            // The scheme's case does not matter, nor how many blanks follow it (RFC 9110).
            let scheme = header.prefix { $0 != " " }
            let secret = header.dropFirst(scheme.count).drop { $0 == " " }
            self = .token(scheme.lowercased() == "bearer" ? String(secret) : "")
        } else {
            self = request.cookie(named: cookie).map { .cookie($0) } ?? .none
        }
    }
}

struct RequestAuthenticator {
    private let settings: WebSettings
    private let logins: Logins
    private let access: Access
    private let log: Log
    /// Of requests that other nodes pass on.
    private let pass: RelaySigner
    /// The name of the cookie. It has the port, since browsers send a host's cookies to all of its ports: a login at one daemon would
    /// replace that at another.
    let cookieName: String

    /// `port` is the one that the daemon listens on.
    init(_ settings: WebSettings, port: UInt16, _ logins: Logins, _ access: Access, _ pass: RelaySigner, _ log: Log) {
        (self.settings, self.logins, self.access, self.pass, self.log) = (settings, logins, access, pass, log)
        cookieName = "gamed-\(port)"
    }

    // MARK: Forwarded requests

    /// Returns the credentials of a request. Throws if the request claims that another node forwarded it, and that is not true. `now` is the
    /// cluster's time.
    func credentials(of request: HTTPRequest, at now: Int) throws(CommandError) -> Credentials {
        guard let signature = request.header(RelaySigner.header) else { return Credentials(request, cookie: cookieName) }
        let id = request.header(RelaySigner.idHeader)
        if let bearer = pass.read(signature, at: now, request.method.rawValue, request.target, request.body, id: id) {
            return .relayed(bearer)
        }
        throw CommandError(
            .noPermission,
            "forwarded request has an invalid or expired signature; give each node its own --advertise-http"
        )
    }

    // MARK: Host and Origin

    /// Returns a message about a wrong Host or Origin of the request; nil if both are right. A foreign page would reach the daemon through a name
    /// that resolves to this machine without being one of its names.
    func originProblem(of request: HTTPRequest) -> String? {
        guard let written = request.authority ?? request.header("Host") else {
            return "the header Host is missing; it has the daemon's address, or a name of --http-name"
        }
        guard let host = HostAndPort(written) ?? HostAndPort(written + ":80"),
            isOurs(host.host)
        else {
            return "unknown host name; use the daemon's address, or start it with --http-name NAME"
        }
        guard request.method != .get, request.method != .head else { return nil }
        if let origin = request.header("Origin") {
            // In clear, something before the daemon may speak TLS for it.
            guard origin == "https://\(written)" || !settings.isEncrypted && origin == "http://\(written)" else {
                return "requests from pages of another origin are denied; a reverse proxy must keep the header Host"
            }
        } else if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" {
            return "requests from pages of another site are denied"
        }
        return nil
    }

    private func isOurs(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || settings.names.contains(where: { $0.lowercased() == host }) { return true }
        // An address is not looked up, so no foreign DNS entry can point it here.
        return TcpAddress.isNumeric(host)
    }

    // MARK: Authentication

    /// Returns nil if the client has to log in. Throws if a wrong token was sent, and too many have been. No token is checked
    /// for an operation that is open to all clients, so that a wrong one does not count.
    func visitor(_ request: HTTPRequest, _ credentials: Credentials, isPublic: Bool) throws(CommandError) -> Visitor? {
        guard case .token(let text) = credentials, !text.isEmpty else {
            return visitor(with: credentials, from: request.peer.machine)
        }
        guard !isPublic else { return nil }
        do throws(CommandError) {
            return Visitor(try admit(text, from: request.peer))
        } catch {
            if error.code == .limit { throw error }
            return nil
        }
    }

    func admit(_ text: String, from peer: HTTPPeer) throws(CommandError) -> Token {
        do throws(CommandError) { return try access.admit(text, from: peer.machine) } catch {
            log.write(.warning, provokedBy: .wrongToken, "a wrong token over HTTP from \(peer.name)")
            throw error
        }
    }

    /// One that has been let in already; a token was counted then.
    func visitor(with credentials: Credentials, from peer: String) -> Visitor? {
        switch credentials {
        case .token(let text): return access.tokens.find(text).map { Visitor($0) }
        case .cookie(let cookie):
            if let visitor = logins.identity(of: cookie).flatMap(visitor) { return visitor }
        case .relayed(let bearer): return visitor(bearer)
        case .none: break
        }
        return admitsGuests ? Visitor(.guest, actor: peer) : nil
    }

    /// The cookie that keeps a browser's login for another year; nil if it is no login.
    func renewLogin(_ credentials: Credentials) -> (name: String, value: String)? {
        guard case .cookie(let cookie) = credentials, logins.renew(cookie) else { return nil }
        return sessionCookie(cookie)
    }

    /// Nil if the token is gone, or unknown to this node.
    private func visitor(_ identity: VisitorIdentity) -> Visitor? {
        switch identity {
        case .link: Visitor(.daemon, actor: "page")
        case .guest(let address): Visitor(.guest, actor: address)
        case .token(let id, let fingerprint): access.tokens.token(id, fingerprint: fingerprint).map { Visitor($0) }
        }
    }

    private var admitsGuests: Bool {
        settings.isOpen || access.trustsLoopback && settings.address.isLoopback
    }

    /// The request's login, as its cookie has it; nil if it has none.
    func login(_ request: HTTPRequest) -> String? {
        request.cookie(named: cookieName).flatMap { logins.identity(of: $0) == nil ? nil : $0 }
    }

    /// For a year; scripts cannot read it, and no other site's request carries it.
    func sessionCookie(_ secret: String?) -> (name: String, value: String) {
        let value = secret.map { "\($0); Max-Age=31536000" } ?? "; Max-Age=0"
        let secure = settings.isEncrypted ? "; Secure" : ""
        return ("Set-Cookie", "\(cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict\(secure)")
    }
}

extension HTTPRequest {
    fileprivate func cookie(named name: String) -> String? {
        for part in (header("Cookie") ?? "").split(separator: ";") {
            let sides = part.split(separator: "=", maxSplits: 1)
            if sides.count == 2, sides[0].drop(while: { $0 == " " }) == name { return String(sides[1]) }
        }
        return nil
    }
}

// MARK: - Address and clients of the page

package struct WebSettings: Equatable, Sendable {
    package var address: TcpAddress
    /// Whether every client that reaches it may use it; on loopback only.
    package var isOpen = false
    /// Whether it is served over TLS.
    package var isEncrypted = false
    /// Names by which browsers may call this machine, besides its addresses.
    package var names: [String] = []
    /// Whether /metrics needs no login.
    package var hasOpenMetrics = false
    /// Where logins are kept over a restart; nil if they are not.
    package var loginFile: String?
    /// Where the page's files are read from in place of those compiled in: for developers of the page.
    package var pageFolder: String?

    package init(_ address: TcpAddress) { self.address = address }

    /// The address for a link. A certificate is made out to the name that this machine is called by. All addresses of the machine cannot be
    /// opened, so the link has that name, too, or the address that works on this machine.
    func calledAs(_ address: String) -> String {
        guard let place = HostAndPort(address), isEncrypted || place.isEverywhere else { return address }
        let loopback = place.isBracketed ? "::1" : "127.0.0.1"
        let host = names.first ?? (place.isEverywhere ? loopback : place.host)
        return HostAndPort(host: host, port: place.port).description
    }
}

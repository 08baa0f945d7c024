// Whether a request comes from a page of ours, and who has sent it.

import Commands
import HTTP
import Posix

/// How far somebody is trusted who asks over HTTP.
struct Visitor {
    let trust: ClientTrust
    /// For the history of what is done.
    let who: String
}

/// What a request brings to show who has sent it.
enum Proof {
    case token(String)
    case cookie(String)
    case none

    init(_ request: HTTPRequest) {
        if let bearer = request.header("Authorization") {
            self = .token(bearer.hasPrefix("Bearer ") ? String(bearer.dropFirst("Bearer ".count)) : "")
        } else {
            self = Doorman.cookie(of: request).map { .cookie($0) } ?? .none
        }
    }
}

struct Doorman {
    private let settings: WebSettings
    private let logins: Logins
    private let access: Access
    static let cookie = "gamed"

    init(_ settings: WebSettings, _ logins: Logins, _ access: Access) {
        (self.settings, self.logins, self.access) = (settings, logins, access)
    }

    // MARK: Where it comes from

    /// A sentence about what is wrong with the request's Host or Origin; nil if nothing is. A name that leads here although nobody has
    /// given it to this machine is how a foreign page would reach the daemon.
    func objection(to request: HTTPRequest) -> String? {
        guard let written = request.header("Host"), let host = HostAndPort(written) ?? HostAndPort(written + ":80"),
            isOurs(host.host)
        else {
            return "this daemon is not called that; use its address, or start it with --http-name NAME"
        }
        guard request.method != .get, request.method != .head else { return nil }
        if let origin = request.header("Origin") {
            // In clear, something before the daemon may speak TLS for it.
            guard origin == "https://\(written)" || !settings.isEncrypted && origin == "http://\(written)" else {
                return "a page of another origin may not send anything here"
            }
        } else if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" {
            return "a page of another site may not send anything here"
        }
        return nil
    }

    private func isOurs(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || settings.names.contains(where: { $0.lowercased() == host }) { return true }
        // An address is not looked up, so that nobody can have made it lead here.
        return TcpAddress.isNumeric(host)
    }

    // MARK: Who it is

    /// Nil for somebody who has to log in.
    func visitor(_ request: HTTPRequest) -> Visitor? { visitor(with: Proof(request), from: request.peer) }

    func visitor(with proof: Proof, from peer: String) -> Visitor? {
        switch proof {
        case .token(let text): return isToken(text) ? Visitor(trust: .trusted, who: "token") : nil
        case .cookie(let cookie):
            guard let way = logins.way(of: cookie) else { break }
            return Visitor(trust: .trusted, who: way == .token ? "token" : "page")
        case .none: break
        }
        return settings.isOpen ? Visitor(trust: .guest, who: peer) : nil
    }

    func isToken(_ text: String) -> Bool {
        guard let token = access.token else { return false }
        return text.utf8Span.span.withUnsafeBytes { token.matches($0) }
    }

    static func cookie(of request: HTTPRequest) -> String? {
        for part in (request.header("Cookie") ?? "").split(separator: ";") {
            let sides = part.split(separator: "=", maxSplits: 1)
            if sides.count == 2, sides[0].drop(while: { $0 == " " }) == cookie { return String(sides[1]) }
        }
        return nil
    }

    /// For a year; scripts cannot read it, and no other site's request carries it.
    func setting(_ secret: Secret?) -> (name: String, value: String) {
        let value = secret.map { "\($0); Max-Age=31536000" } ?? "; Max-Age=0"
        let secure = settings.isEncrypted ? "; Secure" : ""
        return ("Set-Cookie", "\(Self.cookie)=\(value); Path=/; HttpOnly; SameSite=Strict\(secure)")
    }
}

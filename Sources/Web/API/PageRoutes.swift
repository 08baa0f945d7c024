// Pages, and how one logs in.

import Commands
import HTTP
import RESP
import Texts

extension Route {
    static let pages: [Route] =
        ["/", "/s/{name}", "/k/{name}", "/m/{name}", "/f/{flow}"].map { path in
            Route(.get, path, "A page.", needs: .nothing, contentType: "text/html") { call throws(CommandError) in
                try call.answerPage()
            }
        } + [
            Route(
                .get, "/login", "The login page.", needs: .nothing, access: .open, query: [once, to],
                contentType: "text/html"
            ) {
                call throws(CommandError) in
                guard let secret = call.target.value("once") else { return try call.answerPage() }
                try call.logIn(link: secret)
            },
            Route(
                .post, "/login", "Logs in with a token, for a browser.", needs: .nothing, access: .open,
                body: [.needed("token", .text, "a token of the daemon's")], bodyLimit: .token, answer: "Nothing",
                status: 204
            ) { call throws(CommandError) in
                try call.site.logins.checkBacklog()
                let token = try call.site.authenticator.admit(call.text("token") ?? "", from: call.request.peer)
                call.addLogin(.token(token)) { call.answerEmpty([$0]) }
            },
            Route(
                .post, "/logout", "Ends this browser's login.", needs: .nothing, access: .open, body: [],
                bodyLimit: .token, answer: "Nothing", status: 204
            ) { call throws(CommandError) in
                try call.logOut()
            },
            Route(.get, "/page/{file}", "A file of the page.", needs: .nothing, access: .open, contentType: "text/css") {
                call throws(CommandError) in try call.answerAsset(call.parameter("file"))
            },
            Route(.get, "/favicon.ico", "The page's icon.", needs: .nothing, access: .open, contentType: "image/svg+xml") {
                call throws(CommandError) in try call.answerAsset("icon.svg")
            },
        ]

    private static let once = Field.optional("once", .text, "the secret of a link that works once")
    private static let to = Field.optional("to", .text, "the page to open after the login")
}

extension WebCall {
    fileprivate func answerPage() throws(CommandError) { try answerAsset("index.html") }

    fileprivate func answerAsset(_ name: String) throws(CommandError) {
        guard let response = site.assets.response(name, knownTags: request.header("If-None-Match")) else {
            throw CommandError(.noPage, "the page has no file '\(name.shortened)'")
        }
        site.answer(request, response)
    }

    /// A link that was used already leads to where the token is asked for.
    fileprivate func logIn(link: String) throws(CommandError) {
        // A HEAD request, such as one for a chat's link preview, does not use up the link.
        guard request.method != .head else { return redirect(to: "/login") }
        try site.logins.checkBacklog()
        guard site.logins.consume(link: link) else {
            return redirect(to: visitor.trust == .trusted ? "/" : "/login?used=1")
        }
        addLogin(.link) { [self] in redirect(to: "/", [$0]) }
    }

    private func redirect(to place: String, _ cookie: [(name: String, value: String)] = []) {
        site.answer(request, HTTPResponse(303, cookie + [("Location", place), ("Cache-Control", "no-store")]))
    }

    /// Calls `then` with the login's cookie once the login is kept.
    fileprivate func addLogin(
        _ identity: VisitorIdentity, then: @escaping (_ cookie: (name: String, value: String)) -> Void
    ) {
        wait(for: { site.logins.add(identity, onDone: $0) }, then: { [self] in then(site.authenticator.sessionCookie($0)) })
    }

    fileprivate func logOut() throws(CommandError) {
        let noCookie = [site.authenticator.sessionCookie(nil)]
        guard let login = site.authenticator.login(request) else { return answerEmpty(noCookie) }
        try site.logins.checkBacklog()
        wait(for: { onDone in site.logins.logOut(login) { onDone(()) } }, then: { [self] in answerEmpty(noCookie) })
        site.streams.endRevokedStreams()
    }
}

extension String {
    /// As a value in a query.
    var escapedForQuery: String {
        var text = ""
        for byte in utf8 {
            let scalar = UnicodeScalar(byte)
            let isPlain =
                byte < 128 && (Character(scalar).isLetter || Character(scalar).isNumber || "-._~/".contains(Character(scalar)))
            if isPlain {
                text.unicodeScalars.append(scalar)
            } else {
                text += "%" + String(byte, radix: 16, uppercase: true).leftPadded(to: 2, with: "0")
            }
        }
        return text
    }
}

// AUTH: authenticates a client.

import RESP

extension Command {
    static let auth = Command(
        name: "AUTH", group: .connection, needs: .nothing,
        summary: "Authenticates a network client.",
        details: """
            A token is id.secret, or the secret with its id as the user, or the only line of the token file; the user \
            `default` is ignored. Refused where no token is needed: on the UNIX socket, or if the daemon has no tokens. \
            Three wrong tokens close the connection; ten within a minute block an address for the rest of that minute.
            """,
        examples: ["AUTH screen.6yRzj0cOcTA4GQzVJ8gYc2qY", "AUTH screen 6yRzj0cOcTA4GQzVJ8gYc2qY"],
        flags: [.beforeAuthentication],
        Form(.optional("user", .text), .required("token", .text)) { call, user, token throws(CommandError) in
            try call.authenticate(Login(user: user, token: token))
            return EncodedReply.ok
        })
}

struct Login {
    let user: String?
    let token: String
}

extension Call {
    /// Authenticates the client, or throws.
    func authenticate(_ login: Login) throws(CommandError) {
        guard client.mayAuthenticate else {
            throw CommandError(.generic, "no token is needed here: anyone who can open the socket can use the daemon")
        }
        let admitted = try admit(login)
        try client.endpoint?.checkRoom(for: admitted)
        client.authenticate(with: admitted)
    }

    private func admit(_ login: Login) throws(CommandError) -> Token {
        do throws(CommandError) {
            return try host.access.admit(login.token, of: login.user, from: client.endpoint?.machine)
        } catch {
            client.endpoint?.didRejectToken(error)
            throw error
        }
    }
}

extension Command {
    static let acl = Command(
        name: "ACL", group: .connection, needs: .nothing,
        summary: "Shows this client's name: its token's, or that of its user on this machine.",
        examples: ["ACL WHOAMI"],
        Form(word: "WHOAMI") { call in call.client.actor ?? call.client.grant.name })
}

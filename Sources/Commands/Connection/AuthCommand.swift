// AUTH: authenticates a client.

import RESP

extension Command {
    static let auth: Command = Command(
        name: "AUTH", group: .connection, needs: .nothing,
        syntax: "AUTH [user] token",
        summary: "Authenticates a network client.",
        details: """
            A token is id.secret, or the secret with its id as the user, or what the token file has as its only line; the user \
            `default` says nothing. Refused where no token is needed: on the UNIX socket, or if the daemon has no tokens. Three wrong \
            tokens close the connection, and after ten within a minute an address waits for the rest of it.
            """,
        examples: ["AUTH screen.6yRzj0cOcTA4GQzVJ8gYc2qY", "AUTH screen 6yRzj0cOcTA4GQzVJ8gYc2qY"],
        words: 2...3, flags: [.beforeAuthentication]
    ) { call throws(CommandError) in
        try call.authenticate(user: call.count == 3 ? call.arguments[1] : nil, call.arguments[call.count - 1])
        call.reply.append(.ok)
    }
}

extension Call {
    /// Authenticates the client, or throws.
    func authenticate(user: Argument?, _ token: Argument) throws(CommandError) {
        guard client.mayAuthenticate else {
            throw CommandError(.generic, "no token is needed here: anyone who can open the socket can use the daemon")
        }
        let admitted = try admit(user, token)
        try client.endpoint?.checkRoom(for: admitted)
        client.becomes(admitted)
    }

    private func admit(_ user: Argument?, _ token: Argument) throws(CommandError) -> Token {
        do throws(CommandError) {
            let machine = client.endpoint?.machine
            return try host.access.admit(token.repairedText, of: user.map(\.repairedText), from: machine)
        } catch {
            client.endpoint?.tokenWasWrong(error)
            throw error
        }
    }
}

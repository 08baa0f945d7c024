// AUTH: authenticates a client.

import RESP

extension Command {
    static let auth: Command = Command(
        name: "AUTH", group: .connection,
        syntax: "AUTH [default] token",
        summary: "Authenticates a network client.",
        details: """
            Refused where no token is needed: on the UNIX socket, or if the daemon has no token. Three wrong tokens close the \
            connection.
            """,
        examples: ["AUTH 6yRzj0cOcTA4GQzVJ8gYc2qY"],
        words: 2...3, flags: [.beforeAuthentication]
    ) { call throws(CommandError) in
        try call.authenticate(user: call.count == 3 ? call.arguments[1] : nil, call.arguments[call.count - 1])
        call.reply.append(.ok)
    }
}

extension Call {
    /// Authenticates the client, or throws.
    func authenticate(user: Argument?, _ token: Argument) throws(CommandError) {
        guard client.isAskedForToken else {
            throw CommandError(.generic, "no token is needed here: anyone who can open the socket can use the daemon")
        }
        guard host.access.admits(user: user, token) else {
            client.endpoint?.tokenWasWrong()
            throw CommandError(.wrongToken, "this is not the token, or the user is not 'default'")
        }
        client.becomes(.trusted)
    }
}

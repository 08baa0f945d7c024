// AUTH: who is there.

import RESP

extension Command {
    static let auth: Command = Command(
        name: "AUTH", group: .connection,
        syntax: "AUTH [default] token",
        summary: "Authenticates a network client.",
        details: """
            Refused where no token is needed: on the UNIX socket, and with a daemon that has none. Three wrong tokens end the \
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
    /// The client has said who it is; what is wrong with that is thrown.
    func authenticate(user: Argument?, _ token: Argument) throws(CommandError) {
        guard client.isAskedForToken else {
            throw CommandError("ERR", "this gamed asks for no password: whoever may open its socket may use it")
        }
        guard host.access.admits(user: user, token) else {
            client.endpoint?.guessedWrongly()
            throw CommandError("WRONGPASS", "this is not the token, or the user is not 'default'")
        }
        client.becomes(.trusted)
    }
}

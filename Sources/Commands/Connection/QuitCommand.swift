// QUIT: closes the connection.

import RESP

extension Command {
    package static let quit: Command = Command(
        name: "QUIT", group: .connection, needs: .nothing,
        syntax: "QUIT",
        summary: "Closes the connection.",
        examples: ["QUIT"],
        words: 1...anyNumber, flags: [.whileSubscribed, .beforeAuthentication, .inTransaction]
    ) { call throws(CommandError) in
        call.reply.append(.ok)
        call.client.endpoint?.closeWhenSent()
    }
}

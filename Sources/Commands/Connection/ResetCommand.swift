// RESET: resets the connection.

import RESP

extension Command {
    package static let reset: Command = Command(
        name: "RESET", group: .connection, needs: .nothing,
        syntax: "RESET",
        summary: "Resets the connection to how it began.",
        details: """
            Subscriptions and a transaction end, the protocol is RESP2 again, events count as they did at first, and a client that had to send a token must send it again.
            """,
        examples: ["RESET"],
        words: 1...1, flags: [.whileSubscribed, .beforeAuthentication, .inTransaction]
    ) { call throws(CommandError) in
        call.host.subscriptions.removeAll(of: call.client)
        call.client.endTransaction()
        call.reply.protocolVersion = .resp2
        call.client.name = ""
        call.source = call.client.ownSource
        // A stranger stays one, and keeps its deadline.
        call.client.becomeNew()
        call.reply.append(simple: "RESET")
    }
}

// RESET: the connection begins anew.

import RESP

extension Command {
    package static let reset: Command = Command(
        name: "RESET", group: .connection,
        syntax: "RESET",
        summary: "Puts the connection back to how it began.",
        details: """
            Subscriptions end, the protocol is the second version again, and a client that had to say a token must say it again.
            """,
        examples: ["RESET"],
        words: 1...1, flags: [.whileSubscribed, .beforeAuthentication]
    ) { call throws(CommandError) in
        call.host.subscriptions.removeAll(of: call.client)
        call.reply.protocolVersion = .resp2
        call.client.name = ""
        // A stranger remains one, and its time goes on.
        if call.client.isAskedForToken, call.client.standing != .stranger { call.client.becomes(.stranger) }
        call.reply.append(simple: "RESET")
    }
}

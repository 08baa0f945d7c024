// RESET: the connection begins anew.

import RESP

extension Command {
    static let reset: Command = Command(
        name: "RESET", group: .connection,
        syntax: "RESET",
        summary: "Puts the connection back to how it began.",
        details: """
            Subscriptions end, and the protocol is the second version again.
            """,
        examples: ["RESET"],
        words: 1...1, flags: [.whileSubscribed, .beforeAuthentication]
    ) { call throws(CommandError) in
        call.daemon.subscriptions.removeAll(of: call.client)
        call.reply.protocolVersion = .resp2
        call.client.name = ""
        call.reply.append(simple: "RESET")
    }
}

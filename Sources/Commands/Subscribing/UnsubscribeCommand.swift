// UNSUBSCRIBE: unsubscribes from sessions.

import RESP

extension Command {
    static let unsubscribe: Command = Command(
        name: "UNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        syntax: "UNSUBSCRIBE [session:NAME …]",
        summary: "Unsubscribes from these sessions and views (view:NAME), or from all.",
        examples: ["UNSUBSCRIBE session:room"],
        words: 1...anyNumber, flags: [.whileSubscribed]
    ) { call throws(CommandError) in call.unsubscribe(.channel, "unsubscribe") }
}

// UNSUBSCRIBE: told no more.

import RESP

extension Command {
    static let unsubscribe: Command = Command(
        name: "UNSUBSCRIBE", group: .subscriptions,
        syntax: "UNSUBSCRIBE [session:NAME …]",
        summary: "No more messages of these, or of any.",
        examples: ["UNSUBSCRIBE session:room"],
        words: 1...anyNumber, flags: [.whileSubscribed]
    ) { call throws(CommandError) in call.unsubscribe(.channel, "unsubscribe") }
}

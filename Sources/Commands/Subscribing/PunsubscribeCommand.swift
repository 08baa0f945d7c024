// PUNSUBSCRIBE: told no more of many.

import RESP

extension Command {
    static let punsubscribe: Command = Command(
        name: "PUNSUBSCRIBE", group: .subscriptions,
        syntax: "PUNSUBSCRIBE [session:GLOB …]",
        summary: "No more messages of these, or of any.",
        examples: ["PUNSUBSCRIBE session:room-*"],
        words: 1...anyNumber, flags: [.whileSubscribed]
    ) { call throws(CommandError) in call.unsubscribe(.pattern, "punsubscribe") }
}

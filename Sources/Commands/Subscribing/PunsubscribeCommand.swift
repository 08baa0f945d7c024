// PUNSUBSCRIBE: unsubscribes from patterns.

import RESP

extension Command {
    static let punsubscribe: Command = Command(
        name: "PUNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        syntax: "PUNSUBSCRIBE [session:GLOB …]",
        summary: "Unsubscribes from these patterns, those of views included, or from all.",
        examples: ["PUNSUBSCRIBE session:room-*"],
        words: 1...anyNumber, flags: [.whileSubscribed]
    ) { call throws(CommandError) in call.unsubscribe(.pattern, "punsubscribe") }
}

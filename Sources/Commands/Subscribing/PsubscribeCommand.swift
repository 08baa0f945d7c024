// PSUBSCRIBE: subscribes to sessions by pattern.

import GameFlow
import RESP

extension Command {
    static let psubscribe: Command = Command(
        name: "PSUBSCRIBE", group: .subscriptions,
        syntax: "PSUBSCRIBE session:GLOB [session:GLOB …]",
        summary: "Subscribes to everything that happens to the sessions that match. A message is JSON.",
        details: """
            The pattern may use `*`, `?`, `[a-c]` and `[^a]`.
            """,
        examples: ["PSUBSCRIBE session:*", "PSUBSCRIBE session:room-*"],
        words: 2...anyNumber, flags: [.whileSubscribed]
    ) { call throws(CommandError) in try call.subscribe(.pattern, "psubscribe") }
}

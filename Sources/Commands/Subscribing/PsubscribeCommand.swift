// PSUBSCRIBE: told of every change of many.

import GameFlow
import RESP

extension Command {
    static let psubscribe: Command = Command(
        name: "PSUBSCRIBE", group: .subscriptions,
        syntax: "PSUBSCRIBE session:GLOB [session:GLOB …]",
        summary: "A message in JSON for every change of the sessions that match.",
        details: """
            The pattern has `*`, `?`, `[a-c]` and `[^a]`.
            """,
        examples: ["PSUBSCRIBE session:*", "PSUBSCRIBE session:room-*"],
        words: 2...anyNumber, flags: [.whileSubscribed]
    ) { call throws(CommandError) in try call.subscribe(.pattern, "psubscribe") }
}

// PSUBSCRIBE: subscribes to sessions by pattern.

import GameFlow
import RESP

extension Command {
    static let psubscribe: Command = Command(
        name: "PSUBSCRIBE", group: .subscriptions, needs: .reads(.ownSessions),
        syntax: "PSUBSCRIBE session:GLOB|view:GLOB [session:GLOB|view:GLOB …]",
        summary:
            "Subscribes to what happens to the sessions that match (in a cluster: to this node's), or to their views, as JSON.",
        details: """
            The pattern may use `*`, `?`, `[a-c]` and `[^a]`. The views of all sessions that there are come at once, as fast as the \
            client reads them; a pattern for views begins with `view:`. \
            In a cluster, every node tells of the sessions that it has: ask each. Nothing tells that a session has come or gone but \
            its view, which is null once it is not here any more.
            """,
        examples: ["PSUBSCRIBE session:*", "PSUBSCRIBE session:room-*", "PSUBSCRIBE view:room-*"],
        words: 2...anyNumber, flags: [.whileSubscribed]
    ) { call throws(CommandError) in try call.subscribe(.pattern, "psubscribe") }
}

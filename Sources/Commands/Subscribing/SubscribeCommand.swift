// SUBSCRIBE: told of every change.

import GameFlow
import RESP

extension Command {
    static let subscribe: Command = Command(
        name: "SUBSCRIBE", group: .subscriptions,
        syntax: "SUBSCRIBE session:NAME [session:NAME …]",
        summary: "A message in JSON for every change of these sessions.",
        details: """
            A message is a JSON object: session, flow, event, source, timer, from, to, version. With RESP2 the connection then \
            takes only the subscribing commands, PING, QUIT and RESET; with RESP3 it stays usable.
            """,
        examples: ["SUBSCRIBE session:room", "SUBSCRIBE session:room-1 session:room-2"],
        words: 2...anyNumber, flags: [.whileSubscribed]
    ) { call throws(CommandError) in try call.subscribe(.channel, "subscribe") }
}

// SUBSCRIBE: subscribes to sessions by name.

import GameFlow
import RESP

extension Command {
    static let subscribe: Command = Command(
        name: "SUBSCRIBE", group: .subscriptions, needs: .reads(.ownSessions),
        syntax: "SUBSCRIBE session:NAME|view:NAME [session:NAME|view:NAME …]",
        summary: "Subscribes to everything that happens to these sessions, or to their views. A message is JSON.",
        details: """
            A message of session:NAME is a JSON object: what, seq, session, flow, event, source, timer, from, to, life, version, and \
            `actor` unless a timer sent the event; a refusal has its code and sentence, and `accepted` if that is known. `what` is as in \
            HISTORY, and `seq` counts within the life of the session, without a gap. What a session itself tells (its flow's `emit`) comes as {"session":…, "what":"emitted", "event":…, "payload":…, \
            "seq":…, "version":…}: it is no line of the history, and has the number of the latest one. With RESP2 the connection then only takes the subscribing commands, PING, QUIT and RESET; with RESP3 it takes all. \
            A message of view:NAME is what VIEW replies: the first comes at once, the next after each turn in which the session \
            has changed, and null says that there is no such session. To a client that reads slowly, only the newest view is sent. \
            In a cluster, the node that has the sessions takes it (MOVED says which), and tells with an unsubscribe when one has gone elsewhere.
            """,
        examples: ["SUBSCRIBE session:room", "SUBSCRIBE session:room-1 session:room-2", "SUBSCRIBE view:room"],
        words: 2...anyNumber, flags: [.whileSubscribed], keys: .channels
    ) { call throws(CommandError) in try call.subscribe(.channel, "subscribe") }
}

// SUBSCRIBE: subscribes to sessions by name.

import GameFlow
import Memory
import RESP

extension Command {
    static let subscribe = Command(
        name: "SUBSCRIBE", group: .subscriptions, needs: .reads(.ownSessions),
        summary: "Subscribes to everything that happens to these sessions, or to their views. A message is JSON.",
        details: """
            A message of session:NAME is a JSON object: what, seq, session, flow, event, source, timer, from, to, life, version, and \
            `actor` unless a timer sent the event; a refusal has its code and sentence, and `accepted` if that is known. `what` is as in \
            HISTORY, and `seq` counts within the life of the session, without a gap. What a session itself tells (its flow's `emit`) comes as {"session":…, "what":"emitted", "event":…, "payload":…, \
            "seq":…, "version":…}: it is no line of the history, and has the number of the latest one. With RESP2 the connection then only takes the subscribing commands, PING, QUIT and RESET; with RESP3 it takes all. \
            A message of view:NAME is what VIEW replies: the first comes at once, the next after each turn in which the session \
            has changed, and null says that there is no such session. To a client that reads slowly, only the newest view is sent. \
            SINCE goes on where a client was: with the life and the seq of the last message that it knows, one session's \
            messages since then follow the confirmation, as far as they are kept and \(MissedMessages.maxCount) at most; entries that \
            have happened several times have `times` and `last_seq`. If some are missing, {"what":"gap","seq":…} comes first, and \
            says the number before the first that follows. What a session emits is not kept: SINCE does not bring it back. \
            In a cluster, the node that has the sessions takes it (MOVED says which), and tells with an unsubscribe when one has gone elsewhere.
            """,
        examples: [
            "SUBSCRIBE session:room", "SUBSCRIBE session:room-1 session:room-2", "SUBSCRIBE view:room",
            "SUBSCRIBE session:room SINCE 3:17",
        ],
        flags: [.whileSubscribed], keys: .channels,
        Form(.channels(["session:NAME", "view:NAME"], atLeast: 1), .since) { call, names, known throws(CommandError) in
            try call.subscribe(.channel, to: names, since: known)
        })
}

// MARK: - UNSUBSCRIBE: unsubscribes from sessions.

extension Command {
    static let unsubscribe = Command(
        name: "UNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        summary: "Unsubscribes from these sessions and views (view:NAME), or from all.",
        examples: ["UNSUBSCRIBE session:room"],
        flags: [.whileSubscribed],
        Form(.channels(["session:NAME"], atLeast: 0)) { call, names in call.unsubscribe(.channel, from: names) })
}

// MARK: - SSUBSCRIBE: subscribes to sessions by sharded channels, which clients of Redis Cluster send to the right node.

extension Command {
    static let ssubscribe = Command(
        name: "SSUBSCRIBE", group: .subscriptions, needs: .reads(.ownSessions),
        summary: "Subscribes to sessions, or to their views, by channels that have their slots. A message is JSON.",
        details: """
            As SUBSCRIBE, with smessage in place of message. The braces around a name have the channel's slot be that of the session, so that a \
            client of a cluster finds the node; around a name that has a tag in braces itself, there are none: session:{room-7}:left \
            is of the session {room-7}:left. All channels of one call have the same slot. When a session has gone to another node, \
            sunsubscribe says so: who subscribes again is sent there, and gets the view first.
            """,
        examples: ["SSUBSCRIBE session:{room}", "SSUBSCRIBE session:{room} view:{room}"],
        flags: [.whileSubscribed], keys: .shardedChannels,
        Form(.channels(["session:{NAME}", "view:{NAME}"], atLeast: 1), .since) { call, names, known throws(CommandError) in
            try call.subscribe(.sharded, to: names, since: known)
        })
}

extension Command {
    static let sunsubscribe = Command(
        name: "SUNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        summary: "Unsubscribes from these sharded channels, or from all.",
        examples: ["SUNSUBSCRIBE session:{room}"],
        flags: [.whileSubscribed],
        Form(.channels(["session:{NAME}"], atLeast: 0)) { call, names in call.unsubscribe(.sharded, from: names) })
}

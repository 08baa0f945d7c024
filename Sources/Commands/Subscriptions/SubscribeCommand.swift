// SUBSCRIBE: subscribes to sessions by name.

import GameFlow
import Memory
import RESP

extension Command {
    static let subscribe = Command(
        name: "SUBSCRIBE", group: .subscriptions, needs: .reads(.ownSessions),
        summary: "Subscribes to everything that happens to these sessions, or to their views. A message is JSON.",
        details: """
            A message of session:NAME is a JSON object: what, seq, session, flow, event, source, timer, from, to, life, \
            version, and `actor` unless a timer sent the event; a refusal has its code and sentence, and `accepted` if \
            known. `what` and `event` are as in HISTORY, and `seq` counts within the life of the session, without a gap. An event that \
            the session emits (its flow's `emit`) comes as {"session":…, "what":"emitted", "event":…, "payload":…, "seq":…, \
            "version":…}: it is no history entry, and has the number of the latest one. With RESP2 the connection then \
            accepts only the subscribing commands, PING, QUIT and RESET; with RESP3, all. A message of view:NAME is the \
            reply of VIEW: the first comes at once, the next after each turn in which the session has changed, and null if \
            there is no such session. A slow client gets only the newest view. After AUTH with a token for other sessions, \
            their views are sent again. If a name is no such channel, the command is refused and subscribes to nothing. SINCE resumes from a number: with the session's life and the \
            highest `last_seq` or `seq` received in it, one session's later messages follow the confirmation, as far as they \
            are kept and at most \(MissedMessages.maxCount). They are in the order of `seq`. Repeated entries have `times` \
            and `last_seq`, which may be lower than that of the message before. If some are missing, \
            {"what":"gap","seq":…} comes first, with the number before the first that follows; the client counts on from it. \
            Emitted events are not kept: SINCE does not repeat them. In a cluster, subscribe at the node that owns the \
            sessions (MOVED names it); it sends an unsubscribe when a session has moved to another node.
            """,
        examples: [
            "SUBSCRIBE session:room", "SUBSCRIBE session:room-1 session:room-2", "SUBSCRIBE view:room",
            "SUBSCRIBE session:room SINCE 3:17",
        ],
        flags: [.whileSubscribed], keys: .channels,
        Form(.channels(["session:NAME", "view:NAME"], atLeast: 1), .since) { call, names, known throws(CommandError) in
            try call.subscribe(.channel, to: names, since: known)
        })

    static let unsubscribe = Command(
        name: "UNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        summary: "Unsubscribes from these sessions and views (view:NAME), or from all.",
        examples: ["UNSUBSCRIBE session:room"],
        flags: [.whileSubscribed],
        Form(.channels(["session:NAME"], atLeast: 0)) { call, names in call.unsubscribe(.channel, from: names) })

    static let ssubscribe = Command(
        name: "SSUBSCRIBE", group: .subscriptions, needs: .reads(.ownSessions),
        summary: "Subscribes to sessions, or to their views, by channels with the slots of the sessions. A message is JSON.",
        details: """
            Works as SUBSCRIBE, with smessage in place of message. Braces around a name give the channel the session's slot, \
            so that a cluster client finds the node; a name that has a tag in braces itself gets none: session:{room-7}:left \
            is of the session {room-7}:left. All channels of one call have the same slot. When a session has moved to \
            another node, the client gets sunsubscribe; if it subscribes again, it is redirected there and gets the view \
            first.
            """,
        examples: ["SSUBSCRIBE session:{room}", "SSUBSCRIBE session:{room} view:{room}"],
        flags: [.whileSubscribed], keys: .shardedChannels,
        Form(.channels(["session:{NAME}", "view:{NAME}"], atLeast: 1), .since) { call, names, known throws(CommandError) in
            try call.subscribe(.sharded, to: names, since: known)
        })

    static let sunsubscribe = Command(
        name: "SUNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        summary: "Unsubscribes from these sharded channels, or from all.",
        examples: ["SUNSUBSCRIBE session:{room}"],
        flags: [.whileSubscribed],
        Form(.channels(["session:{NAME}"], atLeast: 0)) { call, names in call.unsubscribe(.sharded, from: names) })
}

// SSUBSCRIBE: subscribes to sessions by sharded channels, which clients of Redis Cluster send to the right node.

import RESP

extension Command {
    static let ssubscribe: Command = Command(
        name: "SSUBSCRIBE", group: .subscriptions, needs: .reads(.ownSessions),
        syntax: "SSUBSCRIBE session:{NAME}|view:{NAME} [session:{NAME}|view:{NAME} …]",
        summary: "Subscribes to sessions, or to their views, by channels that have their slots. A message is JSON.",
        details: """
            As SUBSCRIBE, with smessage in place of message. The braces around a name have the channel's slot be that of the session, so that a \
            client of a cluster finds the node; around a name that has a tag in braces itself, there are none: session:{room-7}:left \
            is of the session {room-7}:left. All channels of one call have the same slot. When a session has gone to another node, \
            sunsubscribe says so: who subscribes again is sent there, and gets the view first.
            """,
        examples: ["SSUBSCRIBE session:{room}", "SSUBSCRIBE session:{room} view:{room}"],
        words: 2...anyNumber, flags: [.whileSubscribed], keys: .shardedChannels
    ) { call throws(CommandError) in try call.subscribe(.sharded, "ssubscribe") }

    static let sunsubscribe: Command = Command(
        name: "SUNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        syntax: "SUNSUBSCRIBE [session:{NAME} …]",
        summary: "Unsubscribes from these sharded channels, or from all.",
        examples: ["SUNSUBSCRIBE session:{room}"],
        words: 1...anyNumber, flags: [.whileSubscribed]
    ) { call throws(CommandError) in call.unsubscribe(.sharded, "sunsubscribe") }
}

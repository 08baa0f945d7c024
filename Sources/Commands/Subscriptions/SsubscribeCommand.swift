// SSUBSCRIBE: subscribes to sessions by sharded channels, which clients of Redis Cluster send to the right node.

import Memory
import RESP

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
        ShardedSubscribeRequest.self)
}

struct ShardedSubscribeRequest: ChannelSubscriptionRequest {
    let names: [ByteString]
    let known: NumberInLife?

    static let form = CommandForm(.channels(["session:{NAME}", "view:{NAME}"], atLeast: 1), .since) {
        ShardedSubscribeRequest(names: $0, known: $1)
    }
    static var command: Command { .ssubscribe }
    static let kind = Subscriptions.Kind.sharded
}

extension Command {
    static let sunsubscribe = Command(
        name: "SUNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        summary: "Unsubscribes from these sharded channels, or from all.",
        examples: ["SUNSUBSCRIBE session:{room}"],
        flags: [.whileSubscribed],
        ShardedUnsubscribeRequest.self)
}

struct ShardedUnsubscribeRequest: UnsubscribingRequest {
    let names: [ByteString]

    static let form = CommandForm(.channels(["session:{NAME}"], atLeast: 0)) { ShardedUnsubscribeRequest(names: $0) }
    static var command: Command { .sunsubscribe }
    static let kind = Subscriptions.Kind.sharded
}

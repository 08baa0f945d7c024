// PSUBSCRIBE: subscribes to sessions by pattern.

import GameFlow
import Memory
import RESP

extension Command {
    static let psubscribe = Command(
        name: "PSUBSCRIBE", group: .subscriptions, needs: .reads(.ownSessions),
        summary:
            "Subscribes to what happens to the sessions that match (in a cluster: to this node's), or to their views, as JSON.",
        details: """
            The pattern may use `*`, `?`, `[a-c]` and `[^a]`. The views of all sessions that there are come at once, as fast as the \
            client reads them; a pattern for views begins with `view:`. \
            In a cluster, every node tells of the sessions that it has: ask each. Nothing tells that a session has come or gone but \
            its view, which is null once it is not here any more.
            """,
        examples: ["PSUBSCRIBE session:*", "PSUBSCRIBE session:room-*", "PSUBSCRIBE view:room-*"],
        flags: [.whileSubscribed],
        PatternSubscribeRequest.self)
}

struct PatternSubscribeRequest: SubscribingRequest {
    let names: [ByteString]

    static let form = CommandForm(.channels(["session:GLOB", "view:GLOB"], atLeast: 1)) { PatternSubscribeRequest(names: $0) }
    static var command: Command { .psubscribe }
    static let kind = Subscriptions.Kind.pattern

    func run(_ call: Call) throws(CommandError) -> SubscriptionReply { try subscribe(call) }
}

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
            SINCE goes on where a client was with one pattern of views: it is sent the views that have changed since then. Whenever \
            it has been sent all that has changed, {"what":"position","since":"5f0c…-41"} follows, with the pattern in place of the \
            channel: the latest of them is what SINCE takes for the same pattern. {"what":"gap"} comes first if that is not known any \
            more (after a restart of the daemon, or a minute without such a client): all views follow, and sessions \
            that are not among them are gone. A client begins with SINCE 0. Messages of patterns cannot go on: subscribe to each session. \
            In a cluster, every node tells of the sessions that it has: ask each. Nothing tells that a session has come or gone but \
            its view, which is null once it is not here any more.
            """,
        examples: [
            "PSUBSCRIBE session:*", "PSUBSCRIBE session:room-*", "PSUBSCRIBE view:room-*", "PSUBSCRIBE view:room-* SINCE 0",
        ],
        flags: [.whileSubscribed],
        Form(.channels(["session:GLOB", "view:GLOB"], atLeast: 1), .optional(keyword: "SINCE", "position", .text)) {
            call, names, position throws(CommandError) in
            guard let position else { return try call.subscribe(.pattern, to: names) }
            guard names.count == 1, SessionChannel(plain: names[0])?.subject == .views else {
                throw CommandError(.generic, "SINCE is for one pattern of views, such as view:GLOB SINCE 0")
            }
            let reply = try call.subscribe(.pattern, to: names)
            call.host.views.resume(call.client, names[0], since: position)
            return reply
        })
}

// MARK: - PUNSUBSCRIBE: unsubscribes from patterns.

extension Command {
    static let punsubscribe = Command(
        name: "PUNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        summary: "Unsubscribes from these patterns, those of views included, or from all.",
        examples: ["PUNSUBSCRIBE session:room-*"],
        flags: [.whileSubscribed],
        Form(.channels(["session:GLOB"], atLeast: 0)) { call, names in call.unsubscribe(.pattern, from: names) })
}

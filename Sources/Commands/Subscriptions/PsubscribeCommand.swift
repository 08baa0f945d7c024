// PSUBSCRIBE: subscribes to sessions by pattern.

import GameFlow
import Memory
import RESP

extension Command {
    static let psubscribe = Command(
        name: "PSUBSCRIBE", group: .subscriptions, needs: .reads(.ownSessions),
        summary:
            "Subscribes to the history entries of matching sessions (in a cluster: this node's), or to their views, as JSON.",
        details: """
            The pattern may use `*`, `?`, `[a-c]` and `[^a]`. The views of all existing sessions are sent at once, as fast \
            as the client reads them; a pattern for views begins with `view:`. A pattern that matches no \
            channel is refused. SINCE resumes from a position: gamed sends the views changed since then. Whenever all changes have been sent, {"what":"position","since":"5f0c…-41"} \
            follows, with the pattern in place of the channel: use the latest with SINCE for the same pattern. \
            {"what":"gap"} comes first if the position is unknown (after a restart of the daemon, after a minute without such \
            a client, or with a token for other sessions): all views follow, and the client has no other sessions. A client \
            starts with SINCE 0. \
            Messages of patterns cannot be resumed: subscribe to each session. In a cluster, every node reports its own \
            sessions: subscribe at each. Only its view reports that a session was created or has left the node; it is then \
            null. After AUTH with a token for other sessions, all their views are sent.
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
            call.host.subscriptions.resume(call.client, names[0], since: position)
            return reply
        })

    static let punsubscribe = Command(
        name: "PUNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        summary: "Unsubscribes from these patterns, those of views included, or from all.",
        examples: ["PUNSUBSCRIBE session:room-*"],
        flags: [.whileSubscribed],
        Form(.channels(["session:GLOB"], atLeast: 0)) { call, names in call.unsubscribe(.pattern, from: names) })
}

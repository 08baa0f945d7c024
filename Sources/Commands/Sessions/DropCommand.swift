// DROP: ends a session.

import RESP

extension Command {
    package static let drop: Command = Command(
        name: "DROP", group: .sessions, needs: .masters(.session),
        syntax: "DROP session",
        summary: "Ends a session and its timers. Replies with 1, or 0 if there is no such session.",
        details: """
            Its history can still be read, for as long as its lines are kept and no other session has the name. UNDROP takes it \
            back, for ten seconds (undo-ms, a limit).
            """,
        examples: ["DROP room"],
        words: 2...2, flags: [.changes]
    ) { call throws(CommandError) in
        if let session = call.host.sessions.find(call.arguments[1]) { call.mark(session) }
        let isGone =
            call.host.sessions.drop(call.arguments[1], by: call.actor, from: call.source)
            || call.host.sessions.dropSetAside(call.name(1), by: call.actor, from: call.source)
        call.reply.append(integer: isGone ? 1 : 0)
    }
}

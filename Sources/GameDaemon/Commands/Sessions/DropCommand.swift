// DROP: a session ends.

import RESP

extension Command {
    static let drop: Command = Command(
        name: "DROP", group: .sessions,
        syntax: "DROP session",
        summary: "Ends a session, and its timers with it. 1, or 0 if there is none.",
        examples: ["DROP room"],
        words: 2...2, flags: [.changes]
    ) { call throws(CommandError) in
        call.reply.append(integer: call.daemon.sessions.drop(call.arguments[1]) ? 1 : 0)
    }
}

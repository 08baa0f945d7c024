// HISTORY: what has happened to a session.

import GameFlow
import RESP
import Timers

extension Command {
    static let history: Command = Command(
        name: "HISTORY", group: .sessions,
        syntax: "HISTORY session [COUNT n]",
        summary: "What has happened to a session, the newest first, refused events included.",
        details: """
            Refused events are in it, each with the sentence that its sender was told.
            """,
        examples: ["HISTORY room", "HISTORY room COUNT 5"],
        words: 2...4
    ) { call throws(CommandError) in
        let session = try call.session()
        let entries = session.history.newest(try call.optionalCount(from: 2, else: 20))
        call.reply.append(arrayOf: entries.count)
        for entry in entries { append(entry, call) }
    }

    private static func append(_ entry: Occurrence, _ call: Call) {
        let reply = call.reply
        reply.append(mapOf: 7)
        reply.append(bulk: "ago_ms")
        reply.append(integer: entry.at.duration(to: call.daemon.timekeeper.now).milliseconds)
        reply.append(bulk: "source")
        reply.append(bulk: entry.source.name)
        reply.append(bulk: "event")
        reply.append(bulk: entry.event ?? "FORCE")
        reply.append(bulk: "timer")
        if let timer = entry.timer { reply.append(bulk: timer) } else { reply.appendNull() }
        reply.append(bulk: "from")
        reply.append(bulk: entry.from)
        reply.append(bulk: "to")
        reply.append(bulk: entry.to)
        reply.append(bulk: "refused")
        if let refusal = entry.refusal { reply.append(bulk: refusal) } else { reply.appendNull() }
    }
}

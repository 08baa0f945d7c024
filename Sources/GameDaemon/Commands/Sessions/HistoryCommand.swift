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
        let lines = session.history(try call.optionalCount(from: 2, else: 20))
        call.reply.append(arrayOf: lines.count)
        for line in lines { append(line, session.machine.kind, call) }
    }

    private static func append(_ line: Occurrence, _ kind: FlowKind, _ call: Call) {
        let reply = call.reply
        reply.append(mapOf: 7)
        reply.append(bulk: "ago_ms")
        reply.append(integer: line.at.duration(to: call.daemon.timekeeper.now).milliseconds)
        reply.append(bulk: "source")
        reply.append(bulk: line.cause.source.name)
        reply.append(bulk: "event")
        reply.append(bulk: line.eventName(in: kind) ?? "FORCE")
        reply.append(bulk: "timer")
        reply.append(bulkOrNull: kind.timerName(at: line.cause.timer))
        reply.append(bulk: "from")
        reply.append(bulk: kind.stateName(at: line.from))
        reply.append(bulk: "to")
        reply.append(bulk: kind.stateName(at: line.to))
        reply.append(bulk: "refused")
        reply.append(bulkOrNull: line.refused?.sentence)
    }
}

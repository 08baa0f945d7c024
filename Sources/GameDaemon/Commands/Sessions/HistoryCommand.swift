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
            at_ms counts from 1970. Refused events are in it, each with its error's word and the sentence that its sender was \
            told. A payload is JSON; one of more than \(JSON.mostKept) bytes is cut and ends in …, and one that was no JSON is \
            as it came. FORCE stands for a forced state, and NEW for a beginning somewhere else than where the flow begins, \
            each with its data.
            """,
        examples: ["HISTORY room", "HISTORY room COUNT 5"],
        words: 2...4
    ) { call throws(CommandError) in
        let session = try call.session()
        let lines = session.history(try call.optionalCount(from: 2, else: 20))
        let wall = TurnClock.now().wallNanoseconds
        call.reply.append(arrayOf: lines.count)
        for line in lines { append(line, session.machine.kind, at: wall, call) }
    }

    private static func append(_ line: Occurrence, _ kind: FlowKind, at wall: Int64, _ call: Call) {
        let reply = call.reply
        let ago = line.at.duration(to: call.daemon.timekeeper.now)
        reply.append(mapOf: 11)
        reply.append(bulk: "at_ms")
        reply.append(integer: Int((wall - ago.wholeNanoseconds) / 1_000_000))
        reply.append(bulk: "ago_ms")
        reply.append(integer: ago.milliseconds)
        reply.append(bulk: "source")
        reply.append(bulk: line.cause.source.name)
        reply.append(bulk: "event")
        reply.append(bulk: line.eventName(in: kind) ?? (line.isBeginning ? "NEW" : "FORCE"))
        reply.append(bulk: "payload")
        reply.append(bulkOrNull: line.payload)
        reply.append(bulk: "timer")
        reply.append(bulkOrNull: kind.timerName(at: line.cause.timer))
        reply.append(bulk: "from")
        reply.append(bulk: kind.stateName(at: line.from))
        reply.append(bulk: "to")
        reply.append(bulk: kind.stateName(at: line.to))
        reply.append(bulk: "version")
        reply.append(integer: Int(line.version))
        reply.append(bulk: "code")
        reply.append(bulkOrNull: line.refused?.code)
        reply.append(bulk: "refused")
        reply.append(bulkOrNull: line.refused?.sentence)
    }
}

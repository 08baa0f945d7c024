// HISTORY: what has happened to a session.

import GameFlow
import Posix
import RESP
import Sessions
import Timers

extension Command {
    package static let history: Command = Command(
        name: "HISTORY", group: .sessions,
        syntax: "HISTORY session [COUNT n]",
        summary: "What has happened to a session, the newest first, refused events included.",
        details: """
            at_ms counts from 1970. Refused events are in it, each with its error's word and the sentence that its sender got. A payload is JSON; one of more than \(JSON.mostKept) bytes is cut and ends in …, and one that was no JSON is \
            as it came. `what` is taken, postponed (until the state changes; it is in the history once more when it is taken), \
            refused, begun or forced. FORCE stands for a forced state, and NEW for a beginning somewhere else than where the flow begins, \
            each with its data.
            """,
        examples: ["HISTORY room", "HISTORY room COUNT 5"],
        words: 2...4
    ) { call throws(CommandError) in
        let now = TurnClock.now().wallNanoseconds
        if let lines = call.quarantinedHistory() {
            return append(lines.suffix(try call.lineCount()).reversed(), at: now, call)
        }
        let session = try call.session()
        let lines = session.history(try call.lineCount())
        append(lines.map { PastEvent($0, session.machine.kind, ago: call.age(of: $0), at: now) }, at: now, call)
    }

    private static func append(_ lines: [PastEvent], at now: Int64, _ call: Call) {
        call.reply.append(arrayOf: lines.count)
        for line in lines { append(line, ago: .nanoseconds(now - line.atWallNanoseconds), to: call.reply) }
    }

    private static func append(_ line: PastEvent, ago: Duration, to reply: ReplyBuffer) {
        reply.append(mapOf: 12)
        reply.append(bulk: "at_ms")
        reply.append(integer: Int(line.atWallNanoseconds / 1_000_000))
        reply.append(bulk: "ago_ms")
        reply.append(integer: ago.milliseconds)
        reply.append(bulk: "source")
        reply.append(bulk: line.source)
        reply.append(bulk: "event")
        reply.append(bulk: line.event)
        reply.append(bulk: "payload")
        reply.append(bulkOrNull: line.payload)
        reply.append(bulk: "timer")
        reply.append(bulkOrNull: line.timer)
        reply.append(bulk: "from")
        reply.append(bulk: line.from)
        reply.append(bulk: "to")
        reply.append(bulk: line.to)
        reply.append(bulk: "version")
        reply.append(integer: line.version)
        reply.append(bulk: "code")
        reply.append(bulkOrNull: line.code)
        reply.append(bulk: "refused")
        reply.append(bulkOrNull: line.refused)
        reply.append(bulk: "what")
        reply.append(bulk: line.outcome.rawValue)
    }
}

extension PastEvent {
    fileprivate init(_ line: Occurrence, _ kind: FlowKind, ago: Duration, at now: Int64) {
        self.init(
            atWallNanoseconds: now - ago.wholeNanoseconds, source: line.cause.source.name,
            event: line.eventName(in: kind) ?? (line.isBeginning ? "NEW" : "FORCE"), payload: line.payload,
            timer: kind.timerName(at: line.cause.timer), outcome: Outcome(line, kind), from: kind.stateName(at: line.from),
            to: kind.stateName(at: line.to), version: Int(line.version), code: line.refused?.code,
            refused: line.refused?.sentence)
    }
}

extension PastEvent.Outcome {
    fileprivate init(_ line: Occurrence, _ kind: FlowKind) {
        if line.isRefused {
            self = .refused
        } else if line.isPostponed {
            self = .postponed
        } else if line.eventName(in: kind) == nil {
            self = line.isBeginning ? .begun : .forced
        } else {
            self = .taken
        }
    }
}

extension Call {
    fileprivate func lineCount() throws(CommandError) -> Int { try optionalCount(from: 2, else: 20) }

    fileprivate func age(of line: Occurrence) -> Duration { line.at.duration(to: host.timekeeper.now) }

    /// What has happened to the quarantined session of that name, if it is one.
    fileprivate func quarantinedHistory() -> [PastEvent]? {
        guard !host.sessions.unrestored.isEmpty, host.sessions.find(arguments[1]) == nil else { return nil }
        guard let session = host.sessions.unrestored[name(1)], session.isQuarantined else { return nil }
        return host.persistence?.history(of: session)
    }
}

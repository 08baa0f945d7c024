// HISTORY: a session's history.

import GameFlow
import Posix
import RESP
import Sessions
import Timers

extension Command {
    package static let history: Command = Command(
        name: "HISTORY", group: .sessions, needs: .reads(.session),
        syntax: "HISTORY session [COUNT n]",
        summary: "Shows a session's history, newest first, refused events included.",
        details: """
            at_ms counts from 1970. Refused events have the code and the sentence of the error that their sender got, and in \
            `accepted` the events that it could have sent, where they are known. A payload \
            is JSON; one of more than \(JSON.mostKept) bytes is cut and ends in …, and one that was not JSON is shown as it \
            came. `what` is taken, refused, postponed (until the state changes), waiting (for a hook), ignored (by the flow's \
            policy), begun, forced, paused, resumed, extended or dropped; an event that was postponed or had to wait appears \
            once more when it is decided. `actor` is the sender of the event, or the operator: a user, a token, a device or a session; a timer has none. \
            What an operator does has the command as its event; a session that begins anew has RESTART or UNDROP there. \
            `definition` is a hash of what the flow's file said when the line came about. The history of a session that was dropped can be read until newer lines need the room, or another session has its name.
            """,
        examples: ["HISTORY room", "HISTORY room COUNT 5"],
        words: 2...4
    ) { call throws(CommandError) in
        let now = call.host.cluster?.wallNanoseconds ?? TurnClock.now().wallNanoseconds
        if let lines = call.heldHistory() {
            return append(lines.suffix(try call.lineCount()).reversed(), at: now, call)
        }
        let (lines, flow) = try call.history()
        append(
            lines.map { PastEvent($0, flow, by: call.actorName(of: $0.occurrence), ago: call.age(of: $0.occurrence), at: now) },
            at: now, call)
    }

    private static func append(_ lines: [PastEvent], at now: Int64, _ call: Call) {
        call.reply.append(arrayOf: lines.count)
        for line in lines { append(line, ago: .nanoseconds(now - line.atWallNanoseconds), to: call.reply) }
    }

    private static func append(_ line: PastEvent, ago: Duration, to reply: ReplyBuffer) {
        var map = reply.beginMap()
        map.field("at_ms", Int(line.atWallNanoseconds / 1_000_000))
        map.field("ago_ms", ago.milliseconds)
        map.field("source", line.source)
        map.field("event", line.event)
        map.field("payload", line.shownPayload)
        map.field("timer", line.timer)
        map.field("from", line.from)
        map.field("to", line.to)
        map.field("version", line.version)
        map.field("code", line.code?.text)
        map.field("refused", line.refused)
        if let accepted = line.accepted { map.field("accepted", accepted) }
        map.field("what", line.what.name)
        map.field("actor", line.actor)
        if let definition = line.definition { map.field("definition", definition) }
        map.end()
    }
}

extension PastEvent {
    /// Timers in the data of a beginning or a forced state are shown in milliseconds, in whatever unit they were given.
    fileprivate var shownPayload: String? {
        switch what {
        case .taken, .postponed, .waiting, .ignored, .refused, .paused, .resumed, .extended, .dropped: return payload
        case .begun, .forced:
            guard let payload, let json = try? JSON(parsing: payload) else { return payload }
            let shown = json.inMilliseconds
            return shown == json ? payload : shown.kept
        }
    }

    fileprivate init(_ past: PastLine, _ kind: FlowKind, by actor: String?, ago: Duration, at now: Int64) {
        let line = past.occurrence
        self.init(
            atWallNanoseconds: now - ago.wholeNanoseconds, source: line.cause.source.name,
            event: line.eventName(in: kind) ?? line.what.deed ?? "", payload: line.payload,
            timer: kind.timerName(at: line.cause.timer), what: line.what, from: kind.stateName(at: line.from),
            to: kind.stateName(at: line.to), version: Int(line.version), code: line.refused?.code,
            refused: line.refused?.sentence, accepted: line.accepted(in: kind), actor: actor, definition: past.fingerprint)
    }
}

extension Call {
    fileprivate func lineCount() throws(CommandError) -> Int { try optionalCount(from: 2, else: 20) }

    /// The history of the session, or of the last one of that name that was dropped.
    fileprivate func history() throws(CommandError) -> (lines: [PastLine], flow: FlowKind) {
        let count = try lineCount()
        if host.sessions.find(arguments[1]) == nil {
            let name = name(1)
            if let aside = host.sessions.history(ofSetAside: name, count) { return aside }
            if let dropped = host.sessions.history(ofDropped: name, count) { return dropped }
        }
        let session = try session()
        return (session.pastLines(count), session.machine.kind)
    }

    fileprivate func actorName(of line: Occurrence) -> String? { host.sessions.actors.name(line.cause.actor) }

    fileprivate func age(of line: Occurrence) -> Duration { line.at.duration(to: host.timekeeper.now) }

    /// The history of a session that a start has set aside, whether it was dropped since or not; nil for any other.
    fileprivate func heldHistory() -> [PastEvent]? {
        guard let persistence = host.persistence, host.sessions.find(arguments[1]) == nil else { return nil }
        let name = name(1)
        if let session = host.sessions.unrestored[name] {
            return session.isInMemory ? nil : persistence.history(ofHeld: name) ?? []
        }
        return host.sessions.hasDropped(name) ? nil : persistence.history(ofHeld: name)
    }
}

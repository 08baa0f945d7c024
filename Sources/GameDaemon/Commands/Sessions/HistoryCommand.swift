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
            as it came. `what` is taken, postponed (until the state changes; it is in the history once more when it is taken), \
            refused, begun or forced. FORCE stands for a forced state, and NEW for a beginning somewhere else than where the flow begins, \
            each with its data.
            """,
        examples: ["HISTORY room", "HISTORY room COUNT 5"],
        words: 2...4
    ) { call throws(CommandError) in
        if let quarantined = call.quarantinedSession() { return try append(quarantined.lines, call) }
        let session = try call.session()
        let lines = session.history(try call.optionalCount(from: 2, else: 20))
        let wall = TurnClock.now().wallNanoseconds
        call.reply.append(arrayOf: lines.count)
        for line in lines { append(line, session.machine.kind, at: wall, call) }
    }

    private static func append(_ line: Occurrence, _ kind: FlowKind, at wall: Int64, _ call: Call) {
        let ago = line.at.duration(to: call.daemon.timekeeper.now)
        append(
            PastEvent(
                at: Int((wall - ago.wholeNanoseconds) / 1_000_000), ago: ago.milliseconds, source: line.cause.source.name,
                event: line.eventName(in: kind) ?? (line.isBeginning ? "NEW" : "FORCE"), payload: line.payload,
                timer: kind.timerName(at: line.cause.timer),
                what: line.isRefused ? .refused : line.isPostponed ? .postponed : .taken,
                from: kind.stateName(at: line.from),
                to: kind.stateName(at: line.to), version: Int(line.version), code: line.refused?.code,
                refused: line.refused?.sentence), to: call.reply)
    }

    /// Those of a session that does not live, as they are in the tables.
    private static func append(_ lines: [KeptLine], _ call: Call) throws(CommandError) {
        let newest = lines.suffix(try call.optionalCount(from: 2, else: 20)).reversed()
        let wall = TurnClock.now().wallNanoseconds
        call.reply.append(arrayOf: newest.count)
        for line in newest {
            append(
                PastEvent(
                    at: Int(line.atWallNanoseconds / 1_000_000), ago: Int((wall - line.atWallNanoseconds) / 1_000_000),
                    source: line.source, event: line.event ?? (line.version == 0 ? "NEW" : "FORCE"), payload: line.payload,
                    timer: line.timer, what: line.refused != nil ? .refused : line.isPostponed ? .postponed : .taken,
                    from: line.from, to: line.to, version: Int(line.version), code: line.isPostponed ? nil : line.code,
                    refused: line.refused), to: call.reply)
        }
    }

    private static func append(_ line: PastEvent, to reply: ReplyBuffer) {
        reply.append(mapOf: 12)
        reply.append(bulk: "at_ms")
        reply.append(integer: line.at)
        reply.append(bulk: "ago_ms")
        reply.append(integer: line.ago)
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
        reply.append(bulk: line.outcome)
    }
}

/// A line of the history as clients are told it.
private struct PastEvent {
    enum What: String {
        case taken, postponed, refused
    }

    let at: Int
    let ago: Int
    let source: String
    let event: String
    let payload: String?
    let timer: String?
    let what: What
    let from: String
    let to: String
    let version: Int
    let code: String?
    let refused: String?

    /// What came of it, in a word.
    var outcome: String {
        switch (what, event) {
        case (.taken, "NEW"): "begun"
        case (.taken, "FORCE"): "forced"
        default: what.rawValue
        }
    }
}

extension Call {
    /// The quarantined session of that name, if it is one.
    fileprivate func quarantinedSession() -> QuarantinedSession? {
        guard !daemon.sessions.aside.isEmpty, daemon.sessions.find(arguments[1]) == nil else { return nil }
        return daemon.sessions.aside[name(1)]?.quarantined
    }
}

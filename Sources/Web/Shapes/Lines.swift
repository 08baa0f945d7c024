// Lines of a session's history, as the page gets them.

import Commands
import GameFlow
import RESP
import Sessions
import Timers

enum Lines {
    struct Line {
        let occurrence: Occurrence
        let seq: UInt32

        init(_ occurrence: Occurrence, seq: UInt32) { (self.occurrence, self.seq) = (occurrence, seq) }
    }

    /// As many as are told at once.
    static let most = 50

    /// The newest lines of a session, the oldest first.
    static func lines(of session: Session, _ count: Int) -> [Line] {
        let newest = session.pastLines(count)
        let seq = session.seq
        return newest.enumerated().map { Line($0.element.occurrence, seq: seq &- UInt32($0.offset)) }.reversed()
    }

    static func text(_ lines: [Line], of session: Session, _ host: Host) -> String {
        var text = JSONText(reserving: 300 * lines.count + 100)
        text.beginObject()
        text.member("session", session.name)
        text.name("lines")
        append(lines, of: session, host, to: &text)
        text.endObject()
        return text.finished()
    }

    static func append(_ lines: [Line], of session: Session, _ host: Host, to text: inout JSONText) {
        let (kind, life, now) = (session.machine.kind, Int(session.life), host.wallMilliseconds)
        text.beginArray()
        for line in lines {
            append(
                line, session, kind, life, now - line.occurrence.at.duration(to: host.timekeeper.now).milliseconds, to: &text)
        }
        text.endArray()
    }

    private static func append(
        _ line: Line, _ session: Session, _ kind: FlowKind, _ life: Int, _ at: Int, to text: inout JSONText
    ) {
        let occurrence = line.occurrence
        text.beginObject()
        text.member("seq", Int(line.seq))
        text.member("life", life)
        text.member("version", Int(occurrence.version))
        text.member("at_ms", at)
        text.member("what", occurrence.what.name)
        text.member("event", occurrence.eventName(in: kind))
        text.member("payload", occurrence.payload)
        text.member("source", occurrence.cause.source.name)
        text.member("timer", kind.timerName(at: occurrence.cause.timer))
        text.member("from", kind.stateName(at: occurrence.from))
        text.member("to", kind.stateName(at: occurrence.to))
        text.member("code", occurrence.refused?.code.text)
        text.member("refused", occurrence.refused?.sentence)
        text.member("accepted", occurrence.accepted(in: kind).map { .array($0.map { .string($0) }) } ?? JSON.null)
        text.member("actor", session.actor(of: occurrence))
        text.endObject()
    }
}

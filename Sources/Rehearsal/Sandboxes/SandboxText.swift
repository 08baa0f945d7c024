// A sandbox as the page shows it.

import Commands
import GameFlow
import Sessions
import Timers

extension SandboxWorld {
    /// What VIEW says of the session that is tried.
    var view: JSON { session.flatMap { try? JSON(parsing: viewText(of: $0)) } ?? .null }

    /// The session's newest lines, the oldest first. `wallNanoseconds` is when it began, since 1970.
    func lines(from wallNanoseconds: Int64) -> [JSON] {
        guard let session else { return [] }
        let (life, last) = (Int(session.life), Int(session.seq))
        let lines = session.history(SandboxBounds.lines).enumerated().map { back, line in
            Self.line(line, of: session, seq: last - back, life: life, from: wallNanoseconds)
        }
        return lines.reversed()
    }

    private static func line(_ line: Occurrence, of session: Session, seq: Int, life: Int, from wall: Int64) -> JSON {
        let kind = session.machine.kind
        let since = Instant.zero.duration(to: line.at)
        func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
        return [
            "seq": .integer(seq), "life": .integer(life), "version": .integer(Int(line.version)),
            "t_ms": .integer(since.milliseconds),
            "at_ms": .integer(Int((wall + since.wholeNanoseconds) / 1_000_000)),
            "what": .string(line.what.name), "event": text(line.eventName(in: kind) ?? line.what.deed),
            "payload": text(line.payload), "source": .string(line.cause.source.name),
            "timer": text(kind.timerName(at: line.cause.timer)), "from": .string(kind.stateName(at: line.from)),
            "to": .string(kind.stateName(at: line.to)), "code": text(line.refused?.code.text),
            "refused": text(line.refused?.sentence),
            "accepted": line.accepted(in: kind).map { .array($0.map { .string($0) }) } ?? .null,
            "actor": text(session.actor(of: line)),
        ]
    }
}

extension Sandbox {
    /// Everything that there is to show of it.
    package var json: JSON {
        [
            "id": .string(id), "flow": .string(flow.name), "at_ms": .integer(at.milliseconds),
            "end_ms": .integer(end.milliseconds), "limit_ms": .integer(SandboxBounds.time),
            "next_ms": untilNext.map { .integer($0.milliseconds) } ?? .null, "under_way": .bool(isUnderWay),
            "context": context ?? .null, "view": world.view, "children": .array(world.children.map { .string($0) }),
            "lines": .array(world.lines(from: began)), "steps": .array(steps.map(\.json)),
            "standins": .array(
                flows.standIns.map { ["name": .string($0.name), "says": .string($0.says)] }),
        ]
    }
}

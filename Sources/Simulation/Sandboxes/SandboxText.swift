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
        let sinceThen = Instant.zero.duration(to: host.timekeeper.now).wholeNanoseconds
        let entries = session.historyTexts(SandboxBounds.lines, at: wallNanoseconds + sinceThen)
        return entries.reversed().map { entry in
            var text = JSONText()
            entry.append(to: &text, life: session.life, elapsed: Int((entry.at - wallNanoseconds) / 1_000_000))
            return (try? JSON(parsing: text.finished())) ?? .null
        }
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

// A session as a row of the overview.

import Commands
import GameFlow
import Memory
import RESP
import Sessions

extension JSONText {
    mutating func append(row session: Session) {
        let machine = session.machine
        beginObject()
        member("name", session.name)
        member("flow", machine.flowName)
        member("state", machine.stateName)
        member("life", Int(session.life))
        member("version", Int(machine.version))
        member("paused", machine.isFrozen)
        member("final", machine.isFinal)
        member("since_ms", machine.since.duration(to: machine.timekeeper.now).milliseconds)
        name("timer")
        if let first = machine.timerToShow {
            append(timer: first, isPaused: machine.isStopped(first))
        } else {
            value(written: "null")
        }
        endObject()
    }

    /// One that is set aside: it has no state, and a sentence that says why.
    mutating func append(aside session: SetAsideSession, isForMaster: Bool) {
        beginObject()
        member("name", session.name.text)
        member("flow", session.flow)
        member("state", "")
        member("life", 0)
        member("version", 0)
        member("paused", false)
        member("final", false)
        member("since_ms", 0)
        name("timer")
        value(written: "null")
        member("aside", session.error(isForMaster: isForMaster).sentence)
        endObject()
    }

    private mutating func append(timer: StateTimer, isPaused: Bool) {
        beginObject()
        member("name", timer.plan.name)
        member("kind", timer.plan.kind.rawValue)
        member("remaining_ms", timer.remaining?.milliseconds ?? 0)
        member("length_ms", timer.plan.length.milliseconds)
        member("paused", isPaused)
        member("generation", Int(timer.generation))
        endObject()
    }
}

extension AnyMachine {
    fileprivate func isStopped(_ timer: StateTimer) -> Bool { timer.isPaused || isFrozen }

    /// The countdown that fires first, or else the pendulum; one that stands still comes after those that run.
    fileprivate var timerToShow: StateTimer? {
        let ranked = timers.compactMap { timer in timer.remaining.map { (timer, $0) } }
        return ranked.min { one, other in
            let (stands, otherStands) = (isStopped(one.0), isStopped(other.0))
            if stands != otherStands { return otherStands }
            let (swings, otherSwings) = (one.0.plan.kind == .pendulum, other.0.plan.kind == .pendulum)
            return swings == otherSwings ? one.1 < other.1 : otherSwings
        }?.0
    }
}

// MARK: - A simulated device, as the page gets it.

extension DeviceReport {
    var webJSON: JSON {
        .object(
            identity.map { .init($0.name, .string($0.value)) } + [
                .init("connected", .bool(isConnected)), .init("says", .array(notifications.map { .string($0) })),
                .init("counts", .object(counts.map { .init($0.name, .integer($0.count)) })),
            ])
    }
}

// MARK: - A flow, as the page gets it.

extension FlowKind {
    var webJSON: JSON {
        [
            "name": .string(name), "states": .array(states.map { .string($0) }),
            "events": .array(events.map { $0.json(namedBy: "name") }),
            "timers": describedTimers.json, "parameters": .array(parameters.map(\.webJSON)),
            "file": origin.map { .string($0.file) } ?? .null, "definition": origin.map { .string($0.fingerprint) } ?? .null,
        ]
    }
}

extension AcceptedEvent {
    /// `member` has its name.
    func json(namedBy member: String) -> JSON {
        [
            member: .string(name), "label": .string(label), "payload": payload?.schema ?? .null,
            "sources": .array(sources.names.map { .string($0) }),
        ]
    }
}

extension Parameter {
    fileprivate var webJSON: JSON { ["name": .string(name), "schema": schema, "default": standard ?? .null] }
}

// MARK: - Entries of a session's history, as the page gets them.

enum Lines {
    /// Maximum of entries in one response.
    static let maxCount = 50

    /// Whether a client knows the entries before these.
    enum Part {
        /// It knows none. Others before them may be kept.
        case newest(hasEarlier: Bool)
        /// It has been sent all of them.
        case next
        /// It has been sent some, and not the last ones.
        case afterGap
    }

    /// `life` is the session's; nil if there is no session of that name.
    static func text(_ entries: ArraySlice<HistoryEntryText>, of name: String, _ life: Life?, _ part: Part) -> String {
        var text = JSONText(reserving: 300 * entries.count + 100)
        text.beginObject()
        text.member("session", name)
        text.name("lines")
        append(Array(entries), life, to: &text)
        switch part {
        case .newest(let hasEarlier):
            text.member("whole", true)
            if hasEarlier { text.member("earlier", true) }
        case .next: break
        case .afterGap: text.member("gap", true)
        }
        text.endObject()
        return text.finished()
    }

    /// `life` is the session's; nil if that is gone.
    static func append(_ entries: [HistoryEntryText], _ life: Life?, to text: inout JSONText) {
        text.beginArray()
        for entry in entries { entry.append(to: &text, life: life) }
        text.endArray()
    }
}

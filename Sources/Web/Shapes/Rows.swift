// A session as a row of the overview.

import GameFlow
import Sessions
import Timers

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
        let running = machine.timers.filter { $0.remaining != nil }
        let isStopped = { (timer: StateTimer) in timer.isPaused || machine.isFrozen }
        // The one that fires first; one that stands still comes after those that run.
        let first = running.min { one, other in
            let (stands, otherStands) = (isStopped(one), isStopped(other))
            return stands == otherStands ? (one.remaining ?? .zero) < (other.remaining ?? .zero) : otherStands
        }
        if let first { append(timer: first, isPaused: isStopped(first)) } else { value(written: "null") }
        endObject()
    }

    /// One that is set aside: it has no state, and a sentence that says why.
    mutating func append(aside session: UnrestoredSession) {
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
        member("aside", session.error.sentence)
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

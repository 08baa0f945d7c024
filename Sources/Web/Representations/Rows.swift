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

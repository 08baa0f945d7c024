// A session's view: everything that a user interface needs, as one JSON object.

import GameFlow
import Sessions

/// The session as it is now. It is written without making a value of it first, since subscribers get it after every change.
package func viewText(of session: Session) -> String {
    let machine = session.machine
    var text = JSONText(reserving: 1024)
    text.beginObject()
    text.member("session", session.name)
    text.member("flow", machine.flowName)
    text.member("state", machine.stateName)
    text.member("life", Int(session.life))
    text.member("version", Int(machine.version))
    text.member("data", (try? machine.shownData()) ?? .null)
    text.append(machine.screen)
    text.member("paused", machine.isFrozen)
    text.member("final", machine.isFinal)
    text.appendActions(of: machine)
    text.appendTimers(of: machine)
    text.appendPostponed(of: machine)
    if let expiry = session.expiry {
        text.member("expires_ms", expiry.left.milliseconds)
        text.member("expires", expiry.rule.action.rawValue)
    }
    text.member("at_ms", Int(machine.timekeeper.wallNanoseconds / 1_000_000))
    text.endObject()
    return text.finished()
}

extension JSONText {
    fileprivate mutating func append(_ screen: Screen) {
        member("title", screen.title)
        member("text", screen.text)
        member("progress", screen.progress.map { .number($0) } ?? .null)
    }

    /// Appends the events that a client may send now.
    fileprivate mutating func appendActions(of machine: AnyMachine) {
        name("actions")
        beginArray()
        if let mask = machine.acceptedMask {
            appendActions(of: machine.kind, mask)
        } else {
            for event in machine.acceptedEvents { appendAction(machine.kind.index(ofEvent: event.name), of: machine.kind) }
        }
        endArray()
    }

    private mutating func appendActions(of kind: FlowKind, _ mask: UInt64) {
        var rest = mask
        while rest != 0 {
            appendAction(rest.trailingZeroBitCount, of: kind)
            rest &= rest - 1
        }
    }

    private mutating func appendAction(_ place: Int?, of kind: FlowKind) {
        guard let place, let action = kind.actionTexts[place] else { return }
        value(written: action)
    }

    fileprivate mutating func appendPostponed(of machine: AnyMachine) {
        name("postponed")
        beginArray()
        for event in machine.postponed {
            beginObject()
            member("id", event.number)
            member("event", event.event)
            append(event.payload)
            member("age_ms", event.age.milliseconds)
            endObject()
        }
        endArray()
    }

    /// A long payload is a text, cut as in the history: a view is sent again with each change.
    private mutating func append(_ payload: Payload?) {
        guard let kept = payload?.kept else { return member("payload", .null as JSON) }
        guard !kept.hasSuffix("…") else { return member("payload", kept) }
        name("payload")
        value(written: kept)
    }

    fileprivate mutating func appendTimers(of machine: AnyMachine) {
        name("timers")
        beginArray()
        for timer in machine.ownTimers { append(timer, of: machine) }
        endArray()
    }

    private mutating func append(_ timer: StateTimer, of machine: AnyMachine) {
        guard let remaining = timer.remaining else { return }
        let (plan, length) = (timer.plan, timer.plan.length.milliseconds)
        let (label, event) = machine.kind.shown(plan)
        beginObject()
        member("name", plan.name)
        member("label", label)
        member("kind", plan.kind.rawValue)
        member("remaining_ms", remaining.milliseconds)
        member("length_ms", length)
        member("period_ms", plan.kind == .pendulum ? length : nil)
        member("event", event)
        member("paused", timer.isPaused || machine.isFrozen)
        member("generation", Int(timer.generation))
        endObject()
    }
}

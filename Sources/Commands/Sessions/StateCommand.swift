// STATE: a session's state.

import GameFlow
import Memory
import RESP
import Sessions

extension Command {
    package static let state = Command(
        name: "STATE", group: .sessions, needs: .reads(.session),
        summary: "Shows a session: flow, state, data, since_ms, life, version, postponed, paused, final.",
        details: """
            `since_ms` is the time in the state, `version` the number of changes so far, `data` the state's data, including \
            its timers. `life` is unique to each session, even if an earlier one had the same name. `postponed` are the \
            events that wait until the state changes. `stopped` is the reason if the daemon itself has stopped the session's \
            clock. If the flow has parameters, `context` shows those of this session, defaults included; a session of a \
            flow file that was given none has the file's present ones. If its sessions expire (--expire), `expires_ms` is \
            when it is dropped or restarted unless there is activity, and `expires` which of these.
            """,
        examples: ["STATE room"],
        Form(.session) { call, name throws(CommandError) in StateReply(session: try call.session(name)) })
}

/// The session as it is when the reply is written, at once.
struct StateReply: MapValue {
    let session: Session

    func write(to map: inout MapWriter) {
        let machine = session.machine
        map.field("flow", machine.flowName)
        map.field("state", machine.stateName)
        map.field("data", (try? machine.shownData().description) ?? "null")
        map.field("since_ms", machine.since.duration(to: machine.timekeeper.now).milliseconds)
        map.field("life", Int(session.life))
        map.field("version", Int(machine.version))
        map.field("postponed", machine.waitingEvents.filter(\.isPostponed).map(\.event))
        map.field("paused", machine.isFrozen)
        if let reason = machine.haltReason { map.field("stopped", reason) }
        map.field("final", machine.isFinal)
        if let context = machine.contextText { map.field("context", context) }
        if let expiry = session.expiry {
            map.field("expires_ms", expiry.left.milliseconds)
            map.field("expires", expiry.rule.action.rawValue)
        }
    }
}

extension Command {
    package static let events = Command(
        name: "EVENTS", group: .sessions, needs: .reads(.session),
        summary: "Lists the events that a session accepts now.",
        details: """
            Events that only a timer sends are omitted. FULL shows each with its label, the JSON Schema of its payload (null \
            if it has none) and its permitted sources.
            """,
        examples: ["EVENTS room", "EVENTS room FULL"],
        Form(EventsRequest.self))
}

package struct EventsRequest: SessionRequest {
    package let name: ByteString
    let isFull: Bool

    package init(session: ByteString, isFull: Bool) { (name, self.isFull) = (session, isFull) }

    package static let form = CommandForm(.session, .flag("FULL")) { EventsRequest(session: $0, isFull: $1) }
    package static var command: Command { .events }

    package func run(_ call: Call) throws(CommandError) -> EventsReply {
        EventsReply(events: try call.session(name).machine.acceptedFromOutside, isFull: isFull)
    }
}

package struct EventsReply: ReplyValue {
    package let events: [AcceptedEvent]
    let isFull: Bool

    package func write(to reply: ReplyBuffer) {
        guard isFull else { return events.map(\.name).write(to: reply) }
        let maps = Maps(of: events) { event, map in
            map.field("event", event.name)
            map.field("label", event.label)
            map.field("payload", event.payload?.schema.description)
            map.field("from", event.sources.names)
        }
        maps.write(to: reply)
    }
}

// EVENTS: the events that a session accepts.

import GameFlow
import Memory
import RESP

extension Command {
    package static let events = Command(
        name: "EVENTS", group: .sessions, needs: .reads(.session),
        summary: "Lists the events that a session accepts now.",
        details: """
            Events that only a timer sends are left out. FULL shows each with its label, with its payload as JSON Schema says it \
            (null if it carries nothing), and from whom it may come.
            """,
        examples: ["EVENTS room", "EVENTS room FULL"],
        EventsRequest.self)
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

    package func write(to reply: some ReplyWriter) {
        reply.append(arrayOf: events.count)
        for event in events {
            if isFull { write(event, to: reply) } else { reply.append(bulk: event.name) }
        }
    }

    private func write(_ event: AcceptedEvent, to reply: some ReplyWriter) {
        var map = reply.beginMap()
        map.field("event", event.name)
        map.field("label", event.label)
        map.field("payload", event.payload.map { JSONReply($0.schema.description) })
        map.field("from", event.sources.names)
        map.end()
    }
}

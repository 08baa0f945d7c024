// EVENTS: the events that a session accepts.

import GameFlow
import RESP

extension Command {
    package static let events: Command = Command(
        name: "EVENTS", group: .sessions, needs: .reads(.session),
        syntax: "EVENTS session [FULL]",
        summary: "Lists the events that a session accepts now.",
        details: """
            Events that only a timer sends are left out. FULL shows each with its label, with its payload as JSON Schema says it \
            (null if it carries nothing), and from whom it may come.
            """,
        examples: ["EVENTS room", "EVENTS room FULL"],
        words: 2...3
    ) { call throws(CommandError) in
        let isFull = call.count > 2
        guard !isFull || call.arguments[2].isWord("FULL") else { throw .syntax(call.command.syntax) }
        let events = try call.session().machine.acceptedFromOutside
        call.reply.append(arrayOf: events.count)
        for event in events {
            if isFull { append(event, to: call.reply) } else { call.reply.append(bulk: event.name) }
        }
    }

    private static func append(_ event: AcceptedEvent, to reply: ReplyBuffer) {
        var map = reply.beginMap()
        map.field("event", event.name)
        map.field("label", event.label)
        map.field("payload", event.payload?.schema.description)
        map.field("from", event.sources.names)
        map.end()
    }
}

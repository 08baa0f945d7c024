// EVENTS: the events that a session accepts.

import RESP

extension Command {
    package static let events: Command = Command(
        name: "EVENTS", group: .sessions,
        syntax: "EVENTS session",
        summary: "Lists the events that a session accepts now.",
        details: """
            Events that only a timer sends are left out.
            """,
        examples: ["EVENTS room"],
        words: 2...2
    ) { call throws(CommandError) in
        let names = try call.session().machine.acceptedFromOutside.map(\.name)
        call.reply.append(arrayOf: names.count)
        for name in names { call.reply.append(bulk: name) }
    }
}

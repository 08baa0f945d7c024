// NEW: begins a session.

import RESP

extension Command {
    package static let new: Command = Command(
        name: "NEW", group: .sessions, needs: .masters(.session),
        syntax: "NEW session flow [json]",
        summary: "Creates a session in the flow's first state or, with {\"state\":…}, in another. Replies with the state.",
        details: """
            An object with a `state` begins the session there: its `data`, or else its other members, are the state's data, and \
            timers that are not given start afresh. `context` sets the flow's parameters, which DESCRIBE shows: \
            {"context":{"minutes":45}}. Parameters that are not given have their defaults.
            """,
        examples: [
            "NEW room game", #"NEW room game '{"state":"choosingLevel","episode":2}'"#,
            #"NEW room game '{"state":"choosingLevel","data":{"episode":2}}'"#,
        ],
        words: 3...4, flags: [.changes], longWord: 3
    ) { call throws(CommandError) in
        // There is no session yet: if this traps, nothing is on disk that could trap again.
        call.mark(nil)
        let session = try call.beginWithinQuota { () throws(CommandError) in
            try call.host.begin(
                call.name(1), try call.flow(2), try call.payload(3)?.json, from: call.source, by: call.actor)
        }
        call.reply.append(simple: session.machine.stateName)
    }
}

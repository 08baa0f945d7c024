// NEW: a session begins.

import RESP

extension Command {
    package static let new: Command = Command(
        name: "NEW", group: .sessions,
        syntax: "NEW session flow [json]",
        summary: "Begins a session, in the flow's first state or, with {\"state\":…}, in another. Replies with the state.",
        details: """
            With an object that names the state, it begins there: what stands in `data`, or else in the object itself, is that \
            state's data, and timers that it does not mention begin afresh. `context` gives the flow's parameters, which \
            DESCRIBE tells: {"context":{"minutes":45}}. What it does not give is as the flow has it.
            """,
        examples: [
            "NEW room game", #"NEW room game {"state":"choosingLevel","episode":2}"#,
            #"NEW room game {"state":"choosingLevel","data":{"episode":2}}"#,
        ],
        words: 3...4, flags: [.changes], longWord: 3
    ) { call throws(CommandError) in
        // There is none yet: if it traps, nothing of it is on disk that could do so again.
        call.mark(nil)
        let session = try call.host.begin(call.name(1), try call.flow(2), try call.payload(3)?.json, from: call.source)
        call.reply.append(simple: session.machine.stateName)
    }
}

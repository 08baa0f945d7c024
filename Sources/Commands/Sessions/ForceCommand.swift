// FORCE: the game master's override.

import GameFlow
import RESP

extension Command {
    package static let force: Command = Command(
        name: "FORCE", group: .sessions, needs: .masters(.session),
        syntax: "FORCE session state [json]",
        summary: "Puts a session into any state, past the rules of its flow. The history records it as FORCE.",
        details: """
            The old state's timers are gone; those of the new one start afresh unless the data says how much is left \
            (`{"timeLimit":{"remaining_ms":5000}}`). Data that no transition could have led to are refused with what is \
            allowed. The history shows that it was forced, and by whom.
            """,
        examples: [#"FORCE room finishedLevel '{"episode":1,"level":2,"score":100}'"#],
        words: 3...4, flags: [.changes], longWord: 3
    ) { call throws(CommandError) in
        let session = try call.session()
        do throws(Refusal) {
            try session.machine.force(
                call.text(2), data: call.eventPayload(3)?.json ?? .object([]), from: call.source, by: call.actor)
        } catch {
            throw CommandError(error.code, error.description)
        }
        call.reply.append(simple: session.machine.stateName)
    }
}

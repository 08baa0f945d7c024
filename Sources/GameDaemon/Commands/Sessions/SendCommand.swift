// SEND: an event for a session.

import GameFlow
import RESP

extension Command {
    static let send: Command = Command(
        name: "SEND", group: .sessions,
        syntax: "SEND session event [payload]",
        summary: "Sends an event, with JSON or a bare word or number. Replies with the state after it.",
        details: """
            What is not valid in the state is refused with NOTRANSITION and what would be valid; what the event cannot \
            carry, with BADEVENT; what a rule of the flow forbids, with VETOED. A refused event changes nothing.
            """,
        examples: ["SEND room startPlaying", "SEND room chooseEpisode 3", #"SEND room chooseEpisode {"episode":3}"#],
        words: 3...4, flags: [.changes]
    ) { call throws(CommandError) in
        let session = try call.session()
        let event = call.text(2)
        do throws(Refusal) {
            try session.machine.send(
                named: event, payload: try refusing { () throws(CommandError) in try call.payload(3) }, from: .network)
        } catch {
            session.noteRefusal(of: event, error.description, from: .network)
            throw refusal(error, session)
        }
        call.reply.append(simple: session.machine.stateName)
    }
}

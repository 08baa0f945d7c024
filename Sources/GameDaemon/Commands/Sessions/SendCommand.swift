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
        let event = call.arguments[2]
        guard let place = session.machine.kind.place(ofEvent: event.bytes) else {
            let refused = Refused(
                event: event.repairedText.shortened, session.machine.kind.unknownEvent(event.repairedText.shortened))
            return call.refuse(session, refused, event: Cause.none)
        }
        do throws(Refusal) {
            try session.machine.send(at: place, payload: call.eventPayload(3), from: call.source)
        } catch {
            return call.refuse(session, error, event: UInt16(place))
        }
        call.appendState(of: session)
    }
}

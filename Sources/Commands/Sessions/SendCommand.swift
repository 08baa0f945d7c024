// SEND: sends an event to a session.

import GameFlow
import RESP
import Sessions
import Texts

extension Command {
    package static let send: Command = Command(
        name: "SEND", group: .sessions,
        syntax: "SEND session event [payload]",
        summary: "Sends an event, with JSON or a bare word or number. Replies with the state after it.",
        details: """
            An event that is not valid in the state is refused with NOTRANSITION and what would be valid; one with a wrong \
            payload, with BADEVENT; one that a rule of the flow forbids, with VETOED. A refused event changes nothing. The \
            payload is UTF-8, with at most payload-bytes bytes (a limit).
            """,
        examples: ["SEND room startPlaying", "SEND room chooseEpisode 3", #"SEND room chooseEpisode '{"episode":3}'"#],
        words: 3...4, flags: [.changes], longWord: 3
    ) { call throws(CommandError) in
        let session = try call.unmarkedSession()
        session.withMachine { call.send(call.arguments[2], to: session, $0) }
    }
}

extension Call {
    fileprivate func send(_ event: Argument, to session: Session, _ machine: AnyMachine) {
        guard let index = machine.kind.place(ofEvent: event.bytes) else {
            return refuse(session, machine.kind.refusedUnknown(event.repairedText.shortened), event: Cause.none)
        }
        var payload: Payload?
        do throws(Refusal) {
            payload = try eventPayload(3)
            try machine.send(at: index, payload: payload, from: source)
        } catch {
            return refuse(session, error, event: UInt16(index), carrying: payload)
        }
        appendState(of: machine)
    }
}

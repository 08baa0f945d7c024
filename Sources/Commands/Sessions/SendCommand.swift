// SEND: sends an event to a session.

import GameFlow
import RESP
import Sessions
import Texts

extension Command {
    package static let send: Command = Command(
        name: "SEND", group: .sessions, needs: .plays(.session),
        syntax: "SEND session event [payload] [IF version] [ID id]",
        summary: "Sends an event, with JSON or a bare word or number. Replies with the state after it.",
        details: """
            An event that is not valid in the state is refused with NOTRANSITION and what would be valid; one with a wrong \
            payload, with BADEVENT; one that a rule of the flow forbids, with VETOED. A refused event changes nothing. The \
            payload is UTF-8, with at most payload-bytes bytes (a limit). With IF and the version that STATE and messages \
            tell, it is refused with STALE if anything but a timer that stayed in its state has changed the session since; IF \
            life:version is for a session that could have been dropped and begun again. The reply to an event that waits for a \
            flow's hook comes when that has decided, or is TIMEOUT after hook-ms (a limit), which withdraws the event. With ID, \
            a SEND can be repeated safely: while the session remembers the id, its sender gets the first reply again, a refusal \
            too, and nothing changes. An id has 1 to 64 printable characters; it belongs to the sender and to the session's \
            life. With another event or payload it is an error. A session remembers the last 64 ids (the limit ids, and \
            16 KiB), also over restarts. The payload comes before IF and ID, which may stand in either order.
            """,
        examples: [
            "SEND room startPlaying", "SEND room chooseEpisode 3", #"SEND room chooseEpisode '{"episode":3}'"#,
            "SEND room chooseEpisode 3 IF 17", "SEND room chooseEpisode 3 ID 8e03978e-40d5",
        ],
        words: 3...8, flags: [.changes], longWord: 3
    ) { call throws(CommandError) in
        let session = try call.unmarkedSession()
        guard call.count > 4 else { return session.withMachine { call.send(call.arguments[2], to: session, $0, if: nil) } }
        try call.send(to: session, try call.sendOptions())
    }
}

extension Call {
    @inline(__always)
    func send(_ event: Argument, to session: Session, _ machine: AnyMachine, if condition: VersionCondition?) {
        guard let index = machine.kind.place(ofEvent: event.bytes) else {
            return refuse(
                session, machine.kind.refusedUnknown(event.repairedText.shortened, from: source), event: HistoryEntry.Cause.none
            )
        }
        if let objection = condition?.objection(to: session) {
            return refuse(
                session, Refused(event: machine.kind.eventNames[index], code: .stale, sentence: objection), event: UInt16(index)
            )
        }
        var payload: Payload?
        let outcome: Outcome
        do throws(Refusal) {
            payload = try eventPayload(Self.payloadIndex)
            outcome = try machine.send(at: index, payload: payload, from: source, by: actor)
        } catch {
            return refuse(session, error, event: UInt16(index), carrying: payload)
        }
        switch outcome {
        case .taken, .postponed, .ignored: appendState(of: machine)
        case .waiting, .queued: answerLater(machine, outcome)
        }
    }
}

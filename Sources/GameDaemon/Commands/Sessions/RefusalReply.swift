// What becomes of an event that is refused: a line in the session's history, and a reply that says why.

import GameFlow
import Timers

extension Call {
    /// What came along with an event. What is no JSON is refused as any other payload is that the event cannot carry.
    func eventPayload(_ index: Int) throws(Refusal) -> JSON? {
        guard index < count else { return nil }
        do throws(CommandError) { return try payload(index) } catch { throw .badEvent(error.sentence) }
    }

    /// `+state`.
    func appendState(of session: Session) {
        reply.append(simple: session.machine.kind.stateText(at: session.machine.statePlace))
    }

    func inWords(_ refusal: Refusal, _ session: Session, _ event: Int) -> Refused {
        switch refusal {
        case .transitionNotFound(let what): daemon.refusals.notValid(UInt16(event), what, session.machine)
        case .badEvent, .notAllowed, .vetoed, .tooMany: Refused(event: session.machine.kind.eventNames[event], refusal)
        }
    }

    func refuse(_ session: Session, _ refused: Refused, event: UInt16) {
        let move = session.lastMove
        session.note(refused, event: event, from: source)
        // Whoever has lost a race against a timer is told so.
        if refused.code == "NOTRANSITION", let move, move.at == session.machine.since {
            let ago = move.at.duration(to: daemon.timekeeper.now).milliseconds
            reply.append(error: refused.code, "\(refused.sentence); the timer '\(move.timer)' moved it here \(ago) ms ago")
        } else {
            reply.append(error: refused.code, refused.sentence)
        }
    }
}

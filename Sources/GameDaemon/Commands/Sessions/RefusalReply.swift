// What becomes of an event that is refused: a line in the session's history, and a reply that says why.

import GameFlow
import Timers

extension Call {
    /// What came along with an event. What is no JSON is refused as any other payload is that the event cannot carry.
    func eventPayload(_ index: Int) throws(Refusal) -> JSON? {
        guard index < count else { return nil }
        do throws(CommandError) { return try payload(index) } catch { throw .badEvent(error.sentence) }
    }

    /// What is no JSON is kept as it came.
    private func kept(_ index: Int) -> String {
        do throws(CommandError) { return try payload(index)?.kept ?? "" } catch { return JSON.kept(text(index)) }
    }

    /// `+state`.
    func appendState(of session: Session) {
        reply.append(simple: session.machine.kind.stateText(at: session.machine.statePlace))
    }

    func inWords(_ refusal: Refusal, _ session: Session, _ event: Int) -> Detail {
        switch refusal {
        case .transitionNotFound(let what): daemon.refusals.notValid(UInt16(event), what, session.machine)
        case .badEvent, .notAllowed, .vetoed, .tooMany:
            Detail(refused: Refused(event: session.machine.kind.eventNames[event], refusal))
        }
    }

    /// `payload` is the place of what came along.
    func refuse(_ session: Session, _ detail: Detail, event: UInt16, payload: Int) {
        guard let refused = detail.refused else { return }
        let move = session.lastMove
        session.note(payload < count ? Detail(refused: refused, payload: kept(payload)) : detail, event: event, from: source)
        // Whoever has lost a race against a timer is told so.
        if refused.code == "NOTRANSITION", let move, move.at == session.machine.since {
            let ago = move.at.duration(to: daemon.timekeeper.now).milliseconds
            reply.append(error: refused.code, "\(refused.sentence); the timer '\(move.timer)' moved it here \(ago) ms ago")
        } else {
            reply.append(error: refused.code, refused.sentence)
        }
    }
}

// A timer as an argument, and what is done to it.

import GameFlow
import RESP
import Sessions
import Texts
import Timers

extension Call {
    /// One of a session's timers, by its name.
    func timer(_ index: Int) throws(CommandError) -> StateTimer {
        let (session, name) = (try session(), text(index))
        let timers = session.machine.timers.filter { $0.remaining != nil }
        if let timer = timers.last(where: { $0.plan.name == name }) { return timer }
        let names = timers.map(\.plan.name).joined(separator: ", ")
        throw CommandError(
            .noTimer,
            "'\(session.name)' has no timer '\(name.shortened)' in '\(session.machine.stateName)'; its timers: \(names.isEmpty ? "none" : names)"
        )
    }

    /// Notes what this client has done to the session's clock, or to one of its timers.
    func note(_ deed: HistoryEntry.Kind, _ session: Session, _ timer: StateTimer? = nil, payload: String? = nil) {
        session.note(deed, to: timer?.plan, payload: payload, by: actor, from: source)
    }
}

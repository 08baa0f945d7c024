// A timer as an argument.

import RESP
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
            "'\(session.name)' has no timer '\(name.shortened)' in '\(session.machine.stateName)'; it has \(names.isEmpty ? "none" : names)"
        )
    }
}

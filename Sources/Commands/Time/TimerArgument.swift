// A timer as an argument, and the record of operator actions on it.

import GameFlow
import RESP
import Sessions
import Texts
import Timers

extension CommandParameter<String?> {
    static var timer: CommandParameter { .optional("timer", .text, "a timer; the whole session if it is not said") }
}

extension Session {
    /// One of its timers.
    func timer(named name: String) throws(CommandError) -> StateTimer {
        let timers = machine.timers.filter { $0.remaining != nil }
        if let timer = timers.last(where: { $0.plan.name == name }) { return timer }
        let names = timers.map(\.plan.name).joined(separator: ", ")
        throw CommandError(
            .noTimer,
            "'\(self.name)' has no timer '\(name.shortened)' in '\(machine.stateName)'; its timers: \(names.isEmpty ? "none" : names)"
        )
    }
}

extension Call {
    /// Notes what this client has done to the session's clock, or to one of its timers.
    func record(_ deed: HistoryEntry.Kind, _ session: Session, _ timer: StateTimer? = nil, payload: String? = nil) {
        session.record(deed, to: timer?.plan, payload: payload, by: actor, from: source)
    }
}

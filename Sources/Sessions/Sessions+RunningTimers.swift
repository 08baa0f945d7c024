// What is recorded although nothing has happened: what is left of timers, once virtual time has passed.

import GameFlow

extension Sessions {
    /// Records every session with a running timer. Virtual time does not pass while the daemon is down, so what is left of each
    /// timer must be recorded anew after time was advanced.
    package func recordRunningTimers() { _ = recordRunningTimers(from: 0, atMost: Int(table.used)) }

    /// The same for so many slots from one on. Returns the next one, 0 at the end.
    package func recordRunningTimers(from slot: Int, atMost count: Int) -> Int {
        guard recorder != nil else { return 0 }
        let (sessions, next) = scan(from: slot, atMost: count)
        for session in sessions where hasTime(session.machine) { recordImage(of: session.machine) }
        return next
    }

    /// Whether time brings something about.
    private func hasTime(_ machine: AnyMachine) -> Bool {
        machine.timers.contains { $0.deadline != nil } || expiries?[machine.tag] != nil
    }
}

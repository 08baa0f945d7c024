// Sessions that a start has set aside are tried again: by RETRY, or because their flow has changed.

import GameFlow
import Posix
import Sessions
import Store
import Timers

extension Persistence {
    /// Restores the session in a free slot. If it traps, the next start finds it quarantined.
    package func retry(_ session: SetAsideSession) throws -> AnyMachine {
        let held = try held(session)
        let machine = try machine(restoring: held, on: sessions.timekeeper)
        sessions.setAsideSessions[session.name] = nil
        // Both rows have the same name: the old one is dropped before the new one is recorded.
        removeSetAside(session)
        sessions.readmit(held, machine)
        sessions.restoreHistory(held.lines, of: machine, at: clock.moment.time.wallNanoseconds)
        sessions.relinkReturned()
        machine.resumeWaitingEvents()
        return machine
    }

    /// Throws if this kind would not restore it.
    package func tryToRestore(_ session: SetAsideSession, as kind: FlowKind) throws {
        let still = Timekeeper(VirtualClock(startingAt: sessions.timekeeper.now))
        _ = try machine(restoring: held(session), as: kind, on: still)
    }

    private func held(_ session: SetAsideSession) throws -> SetAsideRow {
        guard let held = held[session.name] else {
            throw RestorationError("there is another session of that name, or its row cannot be read before the next start")
        }
        return held
    }

    /// With the kind that is hosted, unless another one is given.
    private func machine(restoring held: SetAsideRow, as kind: FlowKind? = nil, on timekeeper: Timekeeper) throws -> AnyMachine
    {
        guard sessions.find(held.name) == nil else { throw RestorationError("there is another session of that name") }
        let moment = clock.moment
        return try held.withRow { row in
            try sessions.machine(
                restoring: row, try row.image(at: moment), of: try kind ?? sessions.hosted(held.flow),
                late: sessions.nanoseconds(since: moment), on: timekeeper)
        }
    }
}

extension Sessions {
    /// The history of a session that is back in another slot. Lines get new numbers in memory, and keep theirs on disk.
    func restoreHistory(_ lines: [StoredEntry], of machine: AnyMachine, at wall: Int64) {
        for line in lines { restore(past(line, machine.kind, at: wall), recorded: line.serial, of: machine) }
    }
}

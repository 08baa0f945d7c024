// RETRY: restores a quarantined session, as a start would.

import GameFlow
import Posix
import Sessions
import Store

extension Persistence {
    /// Restores the session in a free slot. If it traps, the next start finds it quarantined as it was.
    package func retry(_ session: UnrestoredSession) throws -> AnyMachine {
        guard let quarantined = quarantined[session.name] else { throw RestoringError("it is not quarantined") }
        let machine = try machine(restoring: quarantined.row)
        sessions.unrestored[session.name] = nil
        sessions.take(quarantined.row, machine)
        giveUp(session)
        let wall = TurnClock.now().wallNanoseconds
        for line in quarantined.lines {
            // Lines get new numbers in memory, and keep theirs on disk.
            let occurrence = sessions.occurrence(line, machine.kind, at: wall)
            sessions.restore(occurrence, of: machine, serial: 0)
        }
        journal.writer.move(quarantined.lines, to: Int64(machine.tag))
        machine.takeUpWaiting()
        return machine
    }

    private func machine(restoring row: StoredRow) throws -> AnyMachine {
        guard sessions.find(row.name) == nil else { throw RestoringError("there is another session of that name") }
        var collector = SessionCollector(until: StoredTime(bootID: TurnClock.bootID, time: TurnClock.now()))
        try row.withRow { row throws(StoreError) in collector.append(row) }
        let part = collector.takePart()
        guard let session = part.sessions.first, let state = part.newStates.first else {
            throw RestoringError("there is nothing left of it")
        }
        return try sessions.machine(restoring: session, in: part, at: sessions.startingState(state).get())
    }
}

extension JournalWriter {
    /// Rewrites history lines for the session's new slot, where the next start looks for them.
    fileprivate func move(_ lines: [StoredLine], to slot: Int64) {
        guard !lines.isEmpty else { return }
        withStore { store in
            // If this fails, the lines stay with the old slot.
            try? store.materialize { writer throws(StoreError) in
                for line in lines { try line.withRow(at: slot) { row throws(StoreError) in try writer.history(row) } }
            }
        }
    }
}

// Restores sessions, and their history entry by entry.

import GameFlow
import Memory

extension Sessions {
    /// Restores a session that was set aside, in any free slot.
    package func readmit(_ name: ByteString, as machine: AnyMachine, life: Life, seq: UInt32) {
        name.withBytes { _ = table.add(ByteView($0), machine, life) }
        log.begin(machine.tag)
        log.restore(seq: seq, machine.tag, version: machine.version)
        finishReinstating(machine)
    }

    /// A session that was set aside is in the table again: it has its full time until expiry, is recorded, and finds its family and its work.
    func finishReinstating(_ machine: AnyMachine) {
        restoreExpiry(of: machine, untouched: .zero, away: .zero)
        recordImage(of: machine)
        effects.handleReturn(of: Session(Borrowed(machine), in: self))
        machine.beginWork()
    }

    /// Prepares for this many slots of restored sessions.
    package func makeRoom(for slots: Int) { table.makeRoom(for: slots) }

    /// Prefetches the index for a session that will be restored soon.
    package func prefetch(_ name: ByteView) { table.prefetch(name) }

    package func vacancy(for name: ByteView) -> SessionTable.Vacancy? { table.vacancy(for: name) }

    /// Restores a session in the slot that it had, which must be free.
    package func restore(
        _ name: ByteView, _ machine: AnyMachine, at slot: UInt32, _ life: Life, seq: UInt32, _ vacancy: SessionTable.Vacancy
    ) {
        table.restore(name, machine, at: slot, life, vacancy)
        finishRestoring(machine, seq)
    }

    /// Restores a session in any free slot, beside others that live on. Its name must be free.
    package func restore(_ name: ByteString, _ machine: AnyMachine, _ life: Life, seq: UInt32) {
        name.withBytes { _ = table.add(ByteView($0), machine, life) }
        log.begin(machine.tag)
        finishRestoring(machine, seq)
    }

    private func finishRestoring(_ machine: AnyMachine, _ seq: UInt32) {
        log.restore(seq: seq, machine.tag, version: machine.version)
        effects.registerReturned(Session(Borrowed(machine), in: self))
        machine.beginWork()
    }

    /// Lives up to this one were given out in earlier runs, or on other nodes.
    package func continueLives(afterAtLeast last: Life) {
        guard last > lifeCounter.last else { return }
        lifeCounter = LifeCounter(after: last)
        recorder?.lastLife = last
    }

    /// Restores one entry of its history. Entries come in the order of their serial numbers.
    package func restore(_ past: PastEntry, recorded serial: UInt64, of machine: AnyMachine) {
        let slot = machine.tag
        table.records[slot].latest = log.restore(
            past, recorded: serial, of: slot, machine.kind, after: table.records[slot].latest)
        log.restore(seq: past.lastSeq, slot, version: machine.version)
    }

    /// Restores one entry of a session that is gone. If it was dropped, that is its last entry.
    package func restore(
        _ past: PastEntry, recorded serial: UInt64, ofGone life: Life, named name: ByteString, _ flow: FlowKind, slot: UInt32
    ) {
        log.restore(past, recorded: serial, ofGone: life, named: name, flow, slot: slot)
    }

    package func finishRestoringHistory() { log.endRestoring() }

    /// The next entry gets this number, or a higher one.
    package func advanceSerial(to serial: UInt64) { log.advanceSerial(to: serial) }
}

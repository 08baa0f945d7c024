// What a start brings back: sessions in the slots that they had, and their history, line by line.

import GameFlow
import RESP

extension Sessions {
    /// Restores a session in any free slot.
    package func take(_ name: ByteString, _ machine: AnyMachine, _ life: Life?, seq: UInt32? = nil) {
        name.withBytes { _ = table.add(Argument($0), machine, life ?? newLife()) }
        otherLines.set(machine.tag, 0)
        if let seq { recall(seq: seq, of: machine) }
        expire(machine, untouched: nil)
        keep(machine)
        hasReturned(machine)
        machine.beginWork()
    }

    /// Prepares for this many slots of restored sessions.
    package func makeRoom(for slots: Int) { table.makeRoom(for: slots) }

    /// Prefetches the index for a session that will be restored soon.
    package func prefetch(_ name: Argument) { table.prefetch(name) }

    /// Nil if the name is taken.
    package func vacancy(for name: Argument) -> SessionTable.Vacancy? { table.vacancy(for: name) }

    /// Restores a session in the slot that it had, which must be free.
    package func restore(
        _ name: Argument, _ machine: AnyMachine, at slot: UInt32, _ life: Life, seq: UInt32?, _ vacancy: SessionTable.Vacancy
    ) {
        table.restore(name, machine, at: slot, life, vacancy)
        if let seq { recall(seq: seq, of: machine) }
        hasReturned(machine)
        machine.beginWork()
    }

    /// Restores a session in any free slot, beside others that live on. Its name must be free.
    package func restore(_ name: ByteString, _ machine: AnyMachine, _ life: Life, seq: UInt32?) {
        name.withBytes { _ = table.add(Argument($0), machine, life) }
        otherLines.set(machine.tag, 0)
        if let seq { recall(seq: seq, of: machine) }
        hasReturned(machine)
        machine.beginWork()
    }

    /// Any session can be a child; only one whose flow asks others for something can have any.
    func hasReturned(_ machine: AnyMachine) {
        let kind = machine.kind
        guard kind.hasOutgoing || kind.mayHaveErrands && machine.outgoing != nil || mayHaveFarParent(machine) else { return }
        family.returned.append(reference(to: machine))
    }

    private func mayHaveFarParent(_ machine: AnyMachine) -> Bool {
        mail != nil && withName(of: machine) { $0.contains(UInt8(ascii: "/")) }
    }

    /// Lives up to this one were given out in earlier runs.
    package func continueLives(after last: Life) { lifeCounter = LifeCounter(after: last) }

    /// The same where other sessions live.
    package func continueLives(afterAtLeast last: Life) { if last > lifeCounter.last { continueLives(after: last) } }

    /// Restores one entry of its history. Entries come in the order of their serial numbers.
    package func restore(_ past: PastEntry, recorded serial: UInt64, of machine: AnyMachine) {
        goOnWithHistory(from: serial + 1)
        append(
            encode(past, of: machine.kind, slot: machine.tag), at: past.entry.at, EntryNumber(serial: serial, seq: past.seq))
        if let repetition = past.repetition { log.restore(repetition, of: log.next - 1) }
        recall(seq: past.lastSeq, of: machine)
    }

    private func encode(_ past: PastEntry, of flow: FlowKind, slot: UInt32) -> EncodedEntry {
        let edition = editions.number(of: flow, under: past.definition, from: log.next, oldest: log.oldest)
        return encoder.encode(past.entry, of: slot, edition)
    }

    /// A line is stored more often than its session, so the highest number counts.
    private func recall(seq: UInt32, of machine: AnyMachine) {
        let (slot, ofChanges) = (machine.tag, machine.version &+ 1)
        if seq > ofChanges, seq - ofChanges > otherLines[slot] { otherLines.set(slot, seq - ofChanges) }
    }

    /// Restores one entry of a session that is gone. If it was dropped, that is its last entry.
    package func restore(
        _ past: PastEntry, recorded serial: UInt64, ofGone life: Life, named name: ByteString, _ flow: FlowKind, slot: UInt32
    ) {
        goOnWithHistory(from: serial + 1)
        let line = log.append(
            encode(past, of: flow, slot: slot), at: past.entry.at, EntryNumber(serial: serial, seq: past.seq),
            after: dropped.latest(of: life))
        if let repetition = past.repetition { log.restore(repetition, of: line) }
        dropped.restored(line, of: life)
        if past.entry.kind == .dropped { rememberDropped(name, flow, line) }
    }

    /// All lines are restored.
    package func endOfHistory() { dropped.endRestoring() }

    /// The next history line gets this number, or a higher one.
    package func goOnWithHistory(from serial: UInt64) { nextSerial = max(nextSerial, serial) }
}

// Flows come, change and go while sessions run. A session moves to the new kind of its flow by its image, as over a restart without
// downtime; one that does not fit is set aside.

import GameFlow
import Memory

/// A session after its move to another kind of its flow.
struct MovedSession {
    let state: String
    /// The parts that the kind lacks.
    let lost: [LostPart]
    /// Whether its state, which was not final, is final in the new kind.
    let isEnded: Bool

    init(_ new: RestoredMachine, from old: AnyMachine) {
        state = new.machine.stateName
        lost = new.lost.filter { !$0.isDefault(of: old.kind.parameters) }
        isEnded = new.machine.isFinal && !old.isFinal
    }
}

extension Sessions {
    /// Hosts a flow from now on. It replaces a flow of the same name; that flow's sessions stay with the old kind until they are moved.
    func host(_ kind: FlowKind) {
        flowTable.host(kind)
        recorder?.forgetNames(ofKind: kind.number)
        if !log.begin(kind) { delegate?.historyDidLoseEntries(ofFlow: kind.name) }
        kind.flight = flightRecorder
        kind.watch(self)
    }

    /// Retires a kind that has no sessions left.
    func retire(_ kind: FlowKind) {
        flowTable.retire(kind, at: timekeeper.now)
        kind.watch(nil)
        kind.flight = nil
        log.retire(kind)
    }

    // MARK: Moving

    /// Moves the session to another kind of its flow. Throws if the kind does not fit it; then it is as it was. `isDry` if it only checks that, without
    /// effects: its timers run on a stopped clock.
    func move(_ session: Session, to kind: FlowKind, isDry: Bool) throws -> MovedSession {
        let slot = session.machine.tag
        let (moved, outcome) = try marked(slot) {
            let moved = try restore(SessionImage(of: session.machine), as: kind, on: isDry ? stoppedTimekeeper : timekeeper)
            return (moved, MovedSession(moved, from: session.machine))
        }
        if isDry { return outcome }
        table.replace(slot, with: moved.machine)
        // Otherwise its row would still have them at the next start.
        if !moved.lost.isEmpty { recordImage(of: moved.machine) }
        moved.machine.beginWork()
        moved.machine.resumeWaitingEvents()
        // The new flow may call its state final.
        effects.scheduleCompletionCheck(of: reference(to: moved.machine))
        return outcome
    }

    private var stoppedTimekeeper: Timekeeper { Timekeeper(VirtualClock(startingAt: timekeeper.now)) }

    private func restore(_ image: SessionImage, as kind: FlowKind, on timekeeper: Timekeeper) throws -> RestoredMachine {
        let machine = try kind.begin(on: timekeeper, at: image)
        return (machine, image.lostParts(in: machine))
    }

    /// A flow's code runs for the session, which is quarantined if that ends the daemon.
    private func marked<Result>(_ slot: UInt32, _ body: () throws -> Result) rethrows -> Result {
        let outer = flightRecorder?.enter(FlightMark(.restoring, of: slot)) ?? 0
        defer { flightRecorder?.leave(outer) }
        return try body()
    }

    // MARK: Setting aside

    /// Sets a session aside unchanged: its timers are stopped, and it keeps its slot.
    func setAside(_ session: Session, because problem: String) -> SetAsideSession {
        let (machine, slot) = (session.machine, session.machine.tag)
        effects.detach(reference(to: machine), session.name, because: problem)
        expiries?[slot]?.isSetAside = true
        // Records its image as of now: after a restart, the same state is restored from its row as from this object.
        recordImage(of: machine)
        let reserved = ReservedSlot(
            slot: slot, life: session.life, latest: table.records[slot].latest, flow: machine.kind.flowNumber,
            state: machine.stateName, version: machine.version, seq: session.seq, children: machine.allChildren.map(\.id),
            parameters: machine.kind.parameters, image: try? SessionImage(of: machine), expiry: expiries?[slot]?.mark,
            at: timekeeper.now, change: flowChanges)
        let aside = SetAsideSession(
            name: session.nameBytes, id: Int64(slot), flow: machine.flowName, problem: problem,
            isQuarantined: false, reserved: reserved)
        setAsideSessions[aside.name] = aside
        expiries?.remove(slot)
        table.setAside(slot)
        // It may be another session's next.
        observers.resume(slot)
        return aside
    }

    /// Throws unless a session that was set aside while the daemon ran would fit this kind now. Returns the parts that it would
    /// lose.
    func checkReinstatement(of reserved: ReservedSlot, as kind: FlowKind) throws -> [LostPart] {
        let still = stoppedTimekeeper
        let lost = try marked(reserved.slot) { try restore(reserved.image(on: still), as: kind, on: still).lost }
        return lost.filter { !$0.isDefault(of: reserved.parameters) }
    }

    /// Takes a session back that was set aside while the daemon ran; nil for another one. Throws if it still does not fit.
    package func reinstate(_ session: SetAsideSession, as kind: FlowKind) throws -> RestoredMachine? {
        guard let reserved = session.reserved else { return nil }
        let downtime = timekeeper.endOfDowntime
        let back = try marked(reserved.slot) { try restore(reserved.image(on: timekeeper), as: kind, on: timekeeper) }
        timekeeper.serviceDidBegin(after: downtime)
        let machine = back.machine
        setAsideSessions[session.name] = nil
        session.name.withBytes {
            table.reinstate(ByteView($0), machine, at: reserved.slot, reserved.life, latest: reserved.latest)
        }
        finishReinstating(machine)
        machine.resumeWaitingEvents()
        return (machine, back.lost.filter { !$0.isDefault(of: reserved.parameters) })
    }
}

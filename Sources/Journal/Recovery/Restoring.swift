// A session's machine, made of its row; and lines of its history, as the flow has them.

import GameFlow
import RESP
import Sessions
import Timers

/// Where sessions come back.
struct StartingState {
    let flow: FlowKind
    let state: String
}

extension Sessions {
    func startingState(_ stored: StoredState) -> Result<StartingState, RestoringError> {
        flow(named: stored.flow).map { .success(StartingState(flow: $0, state: stored.state)) }
            ?? .failure(RestoringError(CommandError.noFlow(stored.flow, flows).sentence))
    }

    /// The machine of a session that nobody has yet.
    func machine(restoring session: StoredSession, in part: StoredSessions, at start: StartingState) throws -> AnyMachine {
        let flight = flight
        let outer = flight?.enter(FlightMark(restoring: session.id)) ?? 0
        defer { flight?.leave(outer) }
        let data = try session.values.map { try part.values[$0].get() } ?? .object([])
        let context = try session.context.map { try part.contexts[$0].get() }
        let machine = try start.flow.begin(
            on: timekeeper, context: context,
            at: SessionImage(state: start.state, data: data, away: away(session), timers: part.timers[session.timers]))
        machine.recall(
            version: UInt32(truncatingIfNeeded: session.version), since: since(session), isFrozen: session.isFrozen)
        if let waiting = session.waiting { try machine.restore(waiting: part.waiting[waiting].get()) }
        return machine
    }

    /// How long its time went on while nobody was there: not at all where its clock stands still, or time is virtual.
    private func away(_ session: StoredSession) -> Duration {
        session.isFrozen || isVirtual ? .zero : .nanoseconds(session.away)
    }

    private func since(_ session: StoredSession) -> Instant {
        // Each is a quarter of what there is room for at most.
        let ago = session.inState + (isVirtual ? 0 : session.away)
        return Instant(nanoseconds: timekeeper.now.nanoseconds - ago)
    }

    private var isVirtual: Bool { timekeeper.source is VirtualClock }
}

extension Sessions {
    /// A line of the history, as it was; `wall` is now.
    func occurrence(_ line: StoredLine, _ kind: FlowKind, at wall: Int64) -> Occurrence {
        let source = EventSource.allCases.first { $0.name == line.source } ?? .network
        let cause = Cause(
            source, event: line.event.flatMap { kind.place(ofEvent: $0) }.map(UInt16.init) ?? Cause.none,
            timer: line.timer.flatMap { name in kind.timers.firstIndex { $0.name == name } }.map(UInt16.init) ?? Cause.none)
        let age = Duration.nanoseconds(max(0, wall - line.atWallNanoseconds))
        return Occurrence(
            from: kind.place(ofState: line.from), to: kind.place(ofState: line.to), cause: cause,
            detail: line.detail(kind, source), at: timekeeper.now.advanced(by: .zero - age), version: line.version)
    }
}

extension StoredLine {
    /// What else there is to say of it.
    fileprivate func detail(_ kind: FlowKind, _ source: EventSource) -> Detail? {
        guard let refused else {
            return isPostponed || payload != nil ? Detail(payload: payload, isPostponed: isPostponed) : nil
        }
        return Detail(
            refused: kind.refused(reading: refused, event: event ?? "", code: code ?? "ERR", in: from, from: source),
            payload: payload)
    }
}

extension Sessions {
    /// A session that had been set aside comes back in any slot. Its old row is still what there is on disk.
    func take(_ row: StoredRow, _ machine: AnyMachine) {
        let outer = flight?.enter(FlightMark(restoring: row.session.id)) ?? 0
        defer { flight?.leave(outer) }
        take(row.name, machine, row.session.life == nil ? nil : row.session.knownLife)
    }
}

// Makes a session's machine from its row, and its history from stored lines.

import GameFlow
import Posix
import Sessions
import Timers

/// A flow, and the state to restore sessions in.
struct StartingState {
    let flow: FlowKind
    let state: String
}

extension Sessions {
    func startingState(_ stored: StoredState) -> Result<StartingState, RestoringError> {
        flow(named: stored.flow).map { .success(StartingState(flow: $0, state: stored.state)) }
            ?? .failure(RestoringError(SessionError.noFlow(stored.flow, flows).sentence))
    }

    /// Makes the machine of a session that is not in the table yet. `late` are the nanoseconds from when its row was read until now.
    func machine(
        restoring session: StoredSession, in part: StoredSessions, at start: StartingState, late: Int64,
        on timekeeper: Timekeeper? = nil
    ) throws -> AnyMachine {
        let flight = flight
        let outer = flight?.enter(FlightMark(restoring: session.id)) ?? 0
        defer { flight?.leave(outer) }
        let data = try session.values.map { try part.values[$0].get() } ?? .object([])
        let context = try session.context.map { try part.contexts[$0].get() }
        let marks = ImageMarks(part.timers[session.timers])
        var image = SessionImage(
            state: start.state, data: data, context: context, away: away(session, late), timers: marks.own, isSaved: true)
        (image.version, image.since) = (UInt32(truncatingIfNeeded: session.version), since(session, late))
        (image.isFrozen, image.isHalted) = (session.isFrozen, session.isFrozen && marks.isHalted)
        image.events = try session.waiting.map { try part.waiting[$0].get() }
        return try start.flow.begin(on: timekeeper ?? self.timekeeper, at: image)
    }

    /// It expires as if the daemon had not been down.
    func restoreExpiry(of machine: AnyMachine, _ session: StoredSession, in part: StoredSessions, late: Int64) {
        let untouched = ImageMarks(part.timers[session.timers]).untouched
        expire(machine, untouched: untouched.map { $0 + away(session, late) })
    }

    /// How much of its time passed while the daemon was down: none if its clock is frozen, or time is virtual.
    private func away(_ session: StoredSession, _ late: Int64) -> Duration {
        session.isFrozen || isVirtual ? .zero : .nanoseconds(max(0, session.away + late))
    }

    private func since(_ session: StoredSession, _ late: Int64) -> Instant {
        // Cannot overflow: each term is at most a quarter of `Int64.max`.
        let ago = session.inState + (isVirtual ? 0 : max(0, session.away + late))
        return Instant(nanoseconds: timekeeper.now.nanoseconds - ago)
    }

    private var isVirtual: Bool { timekeeper.source is VirtualClock }

    /// Nanoseconds from a moment of this process until the instant of the turn; 0 if time is virtual. Rounded down, so that no timer fires early;
    /// below 0 if the moment is of this turn.
    func nanoseconds(since moment: StoredTime) -> Int64 {
        guard !isVirtual else { return 0 }
        let since = TurnClock.now().bootNanoseconds - moment.time.bootNanoseconds
        return since - timekeeper.source.now.nanoseconds(since: timekeeper.now)
    }

    /// The wall clock at the instant of the turn, as counted on from that moment.
    func wallNanoseconds(since moment: StoredTime) -> Int64 { moment.time.wallNanoseconds + nanoseconds(since: moment) }
}

extension Sessions {
    /// A history line, as it was noted; `wall` is now.
    func past(_ line: StoredEntry, _ kind: FlowKind, at wall: Int64) -> PastEntry {
        let repetition = line.repeats.map { row in
            Repetition(
                times: UInt32(clamping: max(1, row.times)), lastAt: instant(atWall: row.lastWallNanoseconds, now: wall),
                lastSeq: UInt32(clamping: row.lastSeq), lastVersion: UInt32(clamping: row.lastVersion))
        }
        return PastEntry(
            entry(line, kind, at: wall), seq: UInt32(truncatingIfNeeded: line.seq), repetition, under: line.definition)
    }

    private func instant(atWall past: Int64, now wall: Int64) -> Instant {
        timekeeper.now.advanced(by: .zero - .nanoseconds(max(0, wall - past)))
    }

    private func entry(_ line: StoredEntry, _ kind: FlowKind, at wall: Int64) -> HistoryEntry {
        let source = line.eventSource
        let cause = HistoryEntry.Cause(
            source, event: event(of: line, kind), timer: line.timer.map(kind.pastPlace(ofTimer:)) ?? HistoryEntry.Cause.none,
            actor: line.actor.map(actor(named:)) ?? .none)
        return HistoryEntry(
            from: kind.place(ofState: line.from), to: kind.place(ofState: line.to), cause: cause,
            detail: line.detail(kind, source), at: instant(atWall: line.atWallNanoseconds, now: wall),
            version: line.version)
    }
}

extension Sessions {
    /// The event of a refusal need not be one of the flow's; the others were, when they came about.
    private func event(of line: StoredEntry, _ kind: FlowKind) -> UInt16 {
        guard let event = line.event else { return HistoryEntry.Cause.none }
        guard line.facts == nil else {
            return kind.place(ofEvent: event).map { UInt16(truncatingIfNeeded: $0) } ?? HistoryEntry.Cause.none
        }
        return kind.pastPlace(ofEvent: event)
    }
}

extension StoredEntry {
    /// Its refusal or payload, if it has one.
    fileprivate func detail(_ flow: FlowKind, _ source: EventSource) -> HistoryEntry.Detail? {
        guard let facts else {
            return kind != .taken || payload != nil ? HistoryEntry.Detail(kind, payload: payload) : nil
        }
        return HistoryEntry.Detail(
            refused: flow.refused(
                facts, event: event ?? "", code: code.map { ErrorCode($0) } ?? .generic, in: from, from: source),
            payload: payload)
    }
}

extension Sessions {
    /// Restores a session that was set aside, in any free slot. Until the next batch is safe, the disk has only its old row; the
    /// flight record names that one.
    func take(_ row: StoredRow, _ machine: AnyMachine) {
        let outer = flight?.enter(FlightMark(restoring: row.session.id)) ?? 0
        defer { flight?.leave(outer) }
        take(
            row.name, machine, row.session.knownLife, seq: UInt32(truncatingIfNeeded: row.session.seq))
    }
}

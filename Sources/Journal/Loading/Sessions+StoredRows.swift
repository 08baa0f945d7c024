// Makes a session's machine from its row, and its history from stored entries.

import GameFlow
import Posix
import Sessions
import Store

extension Sessions {
    func hosted(_ flow: String) throws(RestorationError) -> FlowKind {
        guard let kind = self.flow(named: flow) else { throw RestorationError(SessionError.noFlow(flow, flows).sentence) }
        return kind
    }

    /// Makes the machine of a session that is not in the table yet. `late` is the time since its row was read, in nanoseconds. Sets `since`
    /// and `away` of the image.
    func machine(
        restoring row: SessionRow, _ image: inout SessionImage, of flow: FlowKind, late: Int64, on timekeeper: Timekeeper? = nil
    ) throws -> AnyMachine {
        let flight = flightRecorder
        let outer = flight?.enter(FlightMark(restoring: row.id)) ?? 0
        defer { flight?.leave(outer) }
        let away = away(image, late)
        // Cannot overflow: each term is at most a quarter of `Int64.max`.
        image.since = Instant(nanoseconds: self.timekeeper.now.nanoseconds - row.inState - away)
        image.away = .nanoseconds(away)
        return try flow.begin(on: timekeeper ?? self.timekeeper, at: image)
    }

    /// Restores the expiry, counting the downtime. A session that was set aside was not idle: it has its full time again. Call it after
    /// `machine(restoring:)`, which sets the image's `away`.
    func restoreExpiry(of machine: AnyMachine, _ image: SessionImage) {
        guard !image.wasSetAside else { return restoreExpiry(of: machine, untouched: .zero, away: .zero) }
        restoreExpiry(of: machine, untouched: image.untouched, away: image.awayOnClock ?? .zero)
    }

    /// Restores a session that was set aside, in any free slot. Until the next batch is safe, the disk has only its old row; the
    /// flight record names that one.
    func readmit(_ held: SetAsideRow, _ machine: AnyMachine) {
        let outer = flightRecorder?.enter(FlightMark(restoring: held.id)) ?? 0
        defer { flightRecorder?.leave(outer) }
        held.withRow { row in readmit(held.name, as: machine, life: row.knownLife, seq: UInt32(truncatingIfNeeded: row.seq)) }
    }

    /// Nanoseconds that have passed since it was saved: none in virtual time.
    private func away(_ image: SessionImage, _ late: Int64) -> Int64 {
        isVirtual ? 0 : max(0, (image.away ?? .zero).wholeNanoseconds + late)
    }

    private var isVirtual: Bool { timekeeper.source is VirtualClock }

    /// Nanoseconds from a moment of this process until the instant of the turn; 0 if time is virtual. Rounded down, so that no timer fires early;
    /// below 0 if the moment is of this turn.
    func nanoseconds(since moment: StoredTime) -> Int64 {
        guard !isVirtual else { return 0 }
        let since = TurnClock.bootNanoseconds - moment.time.bootNanoseconds
        return since - timekeeper.source.now.nanoseconds(since: timekeeper.now)
    }

    /// The wall clock at the instant of the turn, as counted on from that moment.
    func wallNanoseconds(since moment: StoredTime) -> Int64 { moment.time.wallNanoseconds + nanoseconds(since: moment) }

    /// Makes a history entry from a stored one; `wall` is the present time, in nanoseconds since 1970.
    func past(_ line: StoredEntry, _ kind: FlowKind, _ indices: inout EntryIndexCache, at wall: Int64) -> PastEntry {
        let repetition = line.repeats.map { row in
            Repetition(
                times: UInt32(clamping: max(1, row.times)), lastAt: instant(atWall: row.lastWallNanoseconds, now: wall),
                lastSeq: UInt32(clamping: row.lastSeq), lastVersion: UInt32(clamping: row.lastVersion))
        }
        let found = indices.indices(of: line, kind, in: self)
        let entry = HistoryEntry(
            from: found.from, to: found.to, cause: found.cause, detail: line.detail(kind),
            at: instant(atWall: line.atWallNanoseconds, now: wall), version: line.version)
        return PastEntry(
            entry, seq: UInt32(truncatingIfNeeded: line.seq), repetition, under: line.names.definition)
    }

    /// The history of a session that is back in another slot. Lines get new numbers in memory, and keep theirs on disk.
    func restoreHistory(_ lines: [StoredEntry], of machine: AnyMachine, at wall: Int64) {
        var indices = EntryIndexCache()
        for line in lines {
            restore(past(line, machine.kind, &indices, at: wall), recorded: line.serial, of: machine)
        }
    }

    private func instant(atWall past: Int64, now wall: Int64) -> Instant {
        timekeeper.now.advanced(by: .zero - .nanoseconds(max(0, max(0, wall) - past)))
    }
}

/// The indices of an entry's names in the lists of its flow.
struct EntryIndices {
    let from: UInt32
    let to: UInt32
    let cause: HistoryEntry.Cause
}

/// Caches the latest lookups, since neighbouring entries mostly share their names. For one batch of entries.
struct EntryIndexCache {
    private struct Lookup {
        let names: EntryNames
        let kind: FlowKind
        let isRefused: Bool
        let indices: EntryIndices
    }

    private static let maxCount = 16

    private var lookups: [Lookup] = []

    mutating func indices(of line: StoredEntry, _ kind: FlowKind, in sessions: Sessions) -> EntryIndices {
        for index in lookups.indices where lookups[index].names === line.names {
            if lookups[index].kind === kind, lookups[index].isRefused == (line.facts != nil) { return lookups[index].indices }
        }
        let indices = EntryIndices(line, kind, in: sessions)
        if lookups.count == Self.maxCount { lookups.removeFirst() }
        lookups.append(Lookup(names: line.names, kind: kind, isRefused: line.facts != nil, indices: indices))
        return indices
    }
}

extension EntryIndices {
    fileprivate init(_ line: StoredEntry, _ kind: FlowKind, in sessions: Sessions) {
        let (names, none) = (line.names, HistoryEntry.Cause.none)
        (from, to) = (kind.index(ofState: names.from), kind.index(ofState: names.to))
        cause = HistoryEntry.Cause(
            line.eventSource, event: Self.event(of: line, kind), timer: names.timer.map(kind.historyIndex(ofTimer:)) ?? none,
            actor: names.actor.map { sessions.actor(named: $0) } ?? .none)
    }

    /// The event of a refusal need not be one of the flow's; the others were, when they came about.
    private static func event(of line: StoredEntry, _ kind: FlowKind) -> UInt16 {
        let none = HistoryEntry.Cause.none
        guard let event = line.names.event else { return none }
        guard line.facts == nil else { return kind.index(ofEvent: event).map { UInt16(truncatingIfNeeded: $0) } ?? none }
        return kind.historyIndex(ofEvent: event)
    }
}

extension StoredEntry {
    /// Its refusal or payload, if it has one.
    fileprivate func detail(_ flow: FlowKind) -> HistoryEntry.Detail? {
        guard let facts else {
            return kind != .taken || payload != nil ? HistoryEntry.Detail(kind, payload: payload) : nil
        }
        return HistoryEntry.Detail(
            refused: Refused(
                event: names.event ?? "", code: names.code.map { ErrorCode($0) }, flow.withMask(facts)),
            payload: payload)
    }
}

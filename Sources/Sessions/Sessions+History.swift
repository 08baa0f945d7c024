// The histories of sessions, as they are read.

import GameFlow
import Memory

extension Sessions {
    /// The newest entries of a session's history that have happened, or happened again, after the number `seq`, the newest first. `wall` is the
    /// wall clock now, in nanoseconds since 1970.
    func historyTexts(of machine: AnyMachine, _ count: Int, after seq: UInt32, at wall: Int64) -> [HistoryEntryText] {
        history(of: machine, count, after: seq).map { HistoryEntryText($0, of: machine.kind, in: self, at: wall) }
    }

    /// The same for a session of that name that was set aside while the daemon ran, or else for the last one that was dropped. Returns nil if there
    /// is no such session, or all of its entries were overwritten.
    package func historyTexts(ofGone name: ByteString, _ count: Int, at wall: Int64) -> [HistoryEntryText]? {
        let reserved = setAsideSessions[name]?.reserved
        let setAside = reserved.map { (chain: log.chain(of: $0.slot, latest: $0.latest), flow: $0.flow) }
        guard let (chain, number) = setAside ?? log.chain(ofDropped: name) else { return nil }
        let flow = flowTable.newest(ofFlow: number)
        return log.newest(count, of: chain, flow).map { HistoryEntryText($0, of: flow, in: self, at: wall) }
    }

    /// Whether all that has happened to the session after the number `seq` is kept.
    func hasAll(of machine: AnyMachine, after seq: UInt32) -> Bool {
        chain(of: machine).map { log.isComplete(after: seq, of: $0) } ?? false
    }

    func history(of machine: AnyMachine, _ count: Int, after seq: UInt32 = 0) -> [PastEntry] {
        chain(of: machine).map { log.newest(count, of: $0, machine.kind, after: seq) } ?? []
    }

    /// The actor that created the session, which a restart does not change; none if the history no longer has it.
    func creator(of machine: AnyMachine) -> ActorNumber {
        guard let chain = chain(of: machine) else { return .none }
        return log.creator(of: chain, named: withName(of: machine) { ByteString($0) }, machine.kind)
    }

    package func hasDropped(_ name: ByteString) -> Bool { log.hasDropped(name) }

    /// The latest change of state that the history still has, if a timer made it.
    func latestTimerMove(of machine: AnyMachine) -> HistoryEntry? {
        chain(of: machine).flatMap { log.latestTimerMove(of: $0, machine.kind) }
    }

    /// Whether nothing but ticks has changed the session since it had this version.
    func hasOnlyTicked(_ machine: AnyMachine, since version: UInt32) -> Bool {
        chain(of: machine).map { log.hasOnlyTicked($0, since: version) } ?? false
    }

    private func chain(of machine: AnyMachine) -> EventLog.Chain? {
        owns(machine) ? log.chain(of: machine.tag, latest: table.records[machine.tag].latest) : nil
    }
}

extension HistoryEntryText {
    /// `wall` is the wall clock now, in nanoseconds since 1970.
    init(_ past: PastEntry, of flow: FlowKind, in sessions: Sessions, at wall: Int64) {
        let entry = past.entry
        func wallTime(_ instant: Instant) -> Int64 { wall - instant.duration(to: sessions.timekeeper.now).wholeNanoseconds }
        self.init(
            seq: Int(past.seq), version: Int(entry.version), at: wallTime(entry.at), kind: entry.kind,
            source: entry.cause.source, event: entry.eventName(in: flow), payload: entry.payload,
            timer: flow.timerName(at: entry.cause.timer), from: flow.stateName(at: entry.from),
            to: flow.stateName(at: entry.to), code: entry.refused?.code, refused: entry.refusal(in: flow),
            accepted: entry.accepted(in: flow), actor: sessions.actors.name(entry.cause.actor), definition: past.definition,
            repeats: past.repetition.map {
                Repeats(
                    times: Int($0.times), lastAt: wallTime($0.lastAt), lastSeq: Int($0.lastSeq),
                    lastVersion: Int($0.lastVersion))
            })
    }
}

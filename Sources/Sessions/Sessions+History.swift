// The histories of sessions, as they are read.

import GameFlow
import Memory

extension Sessions {
    /// The newest entries of a session of that name that was set aside while the daemon ran, or else of the last one that was
    /// dropped, the newest first. Returns nil if there is no such session, or all of its entries were overwritten. `wall` is the
    /// wall clock now, in nanoseconds since 1970.
    package func historyTexts(ofGone name: ByteString, _ count: Int, at wall: Int64) -> [HistoryEntryText]? {
        let reserved = setAsideSessions[name]?.reserved
        let setAside = reserved.map { (chain: log.chain(of: $0.slot, latest: $0.latest), flow: $0.flow) }
        guard let (chain, number) = setAside ?? log.chain(ofDropped: name) else { return nil }
        let flow = flowTable.newest(ofFlow: number)
        return log.history.newest(count, of: chain, flow).map { HistoryEntryText($0, of: flow, in: self, at: wall) }
    }

    /// The actor that created the session, which a restart does not change; none if the history no longer has it.
    func creator(of machine: AnyMachine) -> ActorNumber {
        guard let chain = chain(of: machine) else { return .none }
        return log.creator(of: chain, named: withName(of: machine) { ByteString($0) }, machine.kind)
    }

    package func hasDropped(_ name: ByteString) -> Bool { log.hasDropped(name) }

    /// The session's entries; nil once it has been dropped.
    func chain(of machine: AnyMachine) -> History.Chain? {
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

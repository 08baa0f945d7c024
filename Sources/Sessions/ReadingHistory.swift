// The histories of sessions, as they are read.

import GameFlow
import RESP
import Timers

extension Sessions {
    /// The newest entries of a session's history that have happened, or happened again, after the number `seq`, the newest first. `wall` is the
    /// wall clock now, in nanoseconds since 1970.
    func historyTexts(of machine: AnyMachine, _ count: Int, after seq: UInt32, at wall: Int64) -> [HistoryEntryText] {
        history(of: machine, count, after: seq).map { HistoryEntryText($0, of: machine.kind, in: self, at: wall) }
    }

    /// The same of a session that was set aside while the daemon ran, or else of the last one of that name that was dropped; nil if there
    /// is none, or none of its entries are left.
    package func historyTexts(ofGone name: ByteString, _ count: Int, at wall: Int64) -> [HistoryEntryText]? {
        guard let (lines, flow) = history(ofSetAside: name, count) ?? history(ofDropped: name, count) else { return nil }
        return lines.map { HistoryEntryText($0, of: flow, in: self, at: wall) }
    }

    func history(of machine: AnyMachine, _ count: Int, after seq: UInt32 = 0) -> [PastEntry] {
        guard isHere(machine) else { return [] }
        return log.newest(count, of: machine.tag, from: latest(of: machine), machine.kind, editions, after: seq)
    }

    /// The newest history lines of the last session of that name that was dropped, the newest first; nil if none are left.
    func history(ofDropped name: ByteString, _ count: Int) -> (lines: [PastEntry], flow: FlowKind)? {
        guard let ending = dropped[name], let slot = log.session(of: ending.serial) else { return nil }
        let flow = flowTable.newest(ofFlow: ending.flow)
        return (log.newest(count, of: slot, from: ending.serial, flow, editions), flow)
    }

    package func hasDropped(_ name: ByteString) -> Bool { dropped[name] != nil }

    /// The newest history lines of a session that was set aside while the daemon ran, the newest first; nil of another one.
    func history(ofSetAside name: ByteString, _ count: Int) -> (lines: [PastEntry], flow: FlowKind)? {
        guard let place = unrestored[name]?.reserved else { return nil }
        let flow = flowTable.newest(ofFlow: place.flow)
        return (log.newest(count, of: place.slot, from: log.serial(place.latest), flow, editions), flow)
    }

    /// The latest change of state that the history still has.
    func latestMove(of machine: AnyMachine) -> HistoryEntry? {
        guard isHere(machine) else { return nil }
        return log.first(of: machine.tag, from: latest(of: machine), machine.kind, editions, where: \.entry.isMove)
    }

    /// Whether nothing but ticks has changed the session since it had this version.
    func hasOnlyTicked(_ machine: AnyMachine, since version: UInt32) -> Bool {
        isHere(machine) && log.hasOnlyTicked(machine.tag, since: version, from: latest(of: machine))
    }

    func latest(of machine: AnyMachine) -> UInt64 { log.serial(table.records[machine.tag].latest) }
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
            to: flow.stateName(at: entry.to), code: entry.refused?.code, refused: entry.refused?.sentence,
            accepted: entry.accepted(in: flow), actor: sessions.actors.name(entry.cause.actor), definition: past.definition,
            repeats: past.repetition.map {
                Repeats(
                    times: Int($0.times), lastAt: wallTime($0.lastAt), lastSeq: Int($0.lastSeq),
                    lastVersion: Int($0.lastVersion))
            })
    }
}

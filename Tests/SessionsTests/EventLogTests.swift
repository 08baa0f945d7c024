// The event log, tested without sessions: it knows slots, and the latest entry of each.

import BuiltInFlows
import GameFlow
import Memory
import Testing
import Texts
import Timers
@testable import Sessions

@Suite struct `The event log` {
    private let kind = TypedFlowKind<Turns>()

    private func entry(_ kind: HistoryEntry.Kind, version: UInt32, code: ErrorCode? = nil) -> HistoryEntry {
        let detail =
            code.map { HistoryEntry.Detail(refused: Refused(event: "pass", code: $0, .message("not now"))) }
            ?? (kind == .taken ? nil : HistoryEntry.Detail(kind))
        return HistoryEntry(
            from: 0, to: kind == .taken ? 1 : 0, cause: HistoryEntry.Cause(.network), detail: detail, at: .zero,
            version: version)
    }

    /// As a session's registry records it. Returns the number.
    private func record(
        _ entry: HistoryEntry, of slot: UInt32, _ latest: inout UInt32, in log: inout EventLog
    ) -> EntryNumber {
        if !entry.kind.isChange { log.countUnversioned(slot) }
        let encoded = log.encode(entry, of: slot, kind)
        var number = EntryNumber(serial: log.nextSerial, seq: log.seq(slot, version: entry.version))
        if encoded.entry.mayRepeat {
            number = log.number(ofRepeatable: encoded, number, at: entry.at, after: latest, kind)
        }
        if number.times == 1 { latest = log.append(encoded, at: entry.at, number, after: latest) }
        return number
    }

    private func log() -> EventLog {
        var log = EventLog(History.Limits(lines: 1_000, perSession: 10))
        _ = log.begin(kind)
        return log
    }

    @Test func `Serial numbers count the entries of all sessions, and seq those of one session`() {
        var log = log()
        defer { log.freeMemory() }
        var (ann, bob) = (History.noShort, History.noShort)
        var numbers: [[UInt64]] = []
        func note(_ number: EntryNumber) { numbers.append([number.serial, UInt64(number.seq)]) }
        note(record(entry(.begun, version: 0), of: 1, &ann, in: &log))
        note(record(entry(.begun, version: 0), of: 2, &bob, in: &log))
        note(record(entry(.paused, version: 0), of: 1, &ann, in: &log))
        note(record(entry(.taken, version: 1), of: 1, &ann, in: &log))
        note(record(entry(.taken, version: 1), of: 2, &bob, in: &log))
        #expect(numbers == [[0, 1], [1, 1], [2, 2], [3, 3], [4, 2]])
        let kinds = [(UInt32(1), ann), (2, bob)].map { slot, latest in
            log.history.newest(9, of: log.chain(of: slot, latest: latest), kind).map(\.entry.kind)
        }
        #expect(kinds == [[.taken, .paused, .begun], [.taken, .begun]])
    }

    @Test func `The latest change of state is found only if a timer made it`() {
        var log = log()
        defer { log.freeMemory() }
        var ann = History.noShort
        var found: [UInt32?] = []
        for (version, cause) in [(UInt32(1), HistoryEntry.Cause(.timer, timer: 0)), (2, HistoryEntry.Cause(.network))] {
            let move = HistoryEntry(from: version - 1, to: version % 2, cause: cause, detail: nil, at: .zero, version: version)
            _ = record(move, of: 1, &ann, in: &log)
            _ = record(entry(.paused, version: version), of: 1, &ann, in: &log)
            let latest = log.history.latestTimerMove(of: log.chain(of: 1, latest: ann), kind)
            found.append(latest?.version)
        }
        #expect(found == [1, nil])
    }

    @Test func `A repeated refusal has the number of the first, unless the store may have deleted that one`() {
        var log = log()
        defer { log.freeMemory() }
        var ann = History.noShort
        let refusal = entry(.refused, version: 0, code: .noTransition)
        let first = record(refusal, of: 1, &ann, in: &log)
        let second = record(refusal, of: 1, &ann, in: &log)
        #expect(second.serial == first.serial && second.times == 2 && second.seq == first.seq + 1)
        let next = log.nextSerial
        #expect(next == 1, "it takes no number")
        log.storedEntries = 3
        var bob = History.noShort
        for version in 1...4 { _ = record(entry(.taken, version: UInt32(version)), of: 2, &bob, in: &log) }
        let third = record(refusal, of: 1, &ann, in: &log)
        #expect(third.serial == 5 && third.times == 1)
    }

    @Test func `A dropped session is found by its name, until a later drop with that name hides it`() throws {
        var log = log()
        defer { log.freeMemory() }
        let name = ByteString("ann")
        let hadDropped = log.hasDropped(name)
        #expect(!hadDropped)
        for (slot, versions) in [(UInt32(1), 1...2), (UInt32(7), 5...5)] {
            var latest = History.noShort
            for version in versions { _ = record(entry(.taken, version: UInt32(version)), of: slot, &latest, in: &log) }
            _ = record(entry(.dropped, version: UInt32(versions.upperBound)), of: slot, &latest, in: &log)
            log.recordDrop(of: name, kind)
            let chain = log.chain(ofDropped: name)
            let found = try #require(chain)
            #expect(found.flow == kind.flowNumber)
            let entries = log.history.newest(9, of: found.chain, kind)
            #expect(entries.map(\.entry.version) == ([versions.upperBound] + versions.reversed()).map { UInt32($0) })
        }
        let hasBob = log.hasDropped(ByteString("bob"))
        #expect(!hasBob)
    }

    @Test func `Restored entries keep their numbers, and new ones continue after the highest`() {
        var log = log()
        defer { log.freeMemory() }
        var ann = History.noShort
        for (serial, seq) in [(UInt64(40), UInt32(3)), (41, 9)] {
            let past = PastEntry(entry(.taken, version: seq - 1), seq: seq, nil, under: nil)
            ann = log.restore(past, recorded: serial, of: 1, kind, after: ann)
            log.restore(seq: seq, 1, version: 4)
        }
        let (next, seq) = (log.nextSerial, log.seq(1, version: 4))
        log.restore(seq: 6, 1, version: 4)
        let highest = log.seq(1, version: 4)
        #expect(next == 42 && seq == 9 && highest == 9)
        let entries = log.history.newest(9, of: log.chain(of: 1, latest: ann), kind)
        #expect(entries.map(\.seq) == [9, 3])
        log.begin(1)
        let anew = log.seq(1, version: 0)
        #expect(anew == 1, "another life in the slot")
    }
}

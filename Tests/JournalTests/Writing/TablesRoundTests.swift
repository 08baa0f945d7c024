// A round of the tables. After its database went back in time, a shard's log can have batches of several owners. Each owner
// assigns slots of its own.

import GameFlow
import Memory
@testable import MemoryStore
import Posix
import RESP
import Sessions
import Store
import Testing
@testable import Journal

@Suite struct `A round of the tables` {
    private let machines: [AnyMachine]

    init() throws {
        let shards = try TwoShards()
        try shards.create("first", "second")
        machines = try ["first", "second"].map { try #require(shards[$0]) }
    }

    private func batch(_ body: (inout BatchEncoder, StoredName) -> Void) throws -> Batch {
        var encoder = BatchEncoder(boot: "", actors: ActorTable())
        ByteString("room").withStored { body(&encoder, $0) }
        let row = BatchBytes()
        encoder.close(into: row)
        return try row.batches()[0]
    }

    /// The session `room` in the slot of one of the machines.
    private func image(_ index: Int) throws -> Batch {
        try batch { $0.image(machines[index], $1, 1, seq: 1, TurnTime(wallNanoseconds: 1, bootNanoseconds: 1)) }
    }

    private func drop(_ index: Int) throws -> Batch { try batch { $0.drop(machines[index].tag, named: $1) } }

    /// Sessions in the tables, after a round of these batches.
    private func rows(_ batches: Batch...) throws -> Int {
        let store = MemoryStore()
        let tables = try store.openTables()
        try tables.append(ShardBatch(.only, number: 1, bytes: UnsafeRawBufferPointer(start: nil, count: 0)))
        let round = TablesRound(batches, loggedThrough: 1, after: nil, historyLines: 10)
        while try !round.step(.only, tables) {}
        var count = 0
        try store.load(sessions: { _ in count += 1 }, history: { _ in }, log: { _, _ in })
        return count
    }

    @Test func `A round writes one row for a session that has another slot with each owner`() throws {
        #expect(machines[0].tag != machines[1].tag)
        #expect(try rows(image(0), image(1)) == 1)
    }

    @Test func `A round deletes a session that another owner dropped, and writes one created after that`() throws {
        #expect(try rows(image(0), drop(1)) == 0)
        #expect(try rows(image(0), drop(1), image(1)) == 1)
    }

    /// A row that was edited by hand may have any time.
    @Test(arguments: [.max, .max - 999_998, 1_000_000, 1, 0] as [Int64])
    func `A round writes a session of any time`(nanoseconds: Int64) throws {
        let time = TurnTime(wallNanoseconds: nanoseconds, bootNanoseconds: 0)
        #expect(try rows(batch { $0.image(machines[0], $1, 1, seq: 1, time) }) == 1)
    }

    /// A row that was edited by hand may have any name.
    @Test(arguments: [0, 1, 15, 16, 17, 36, 255, 256, 5_000, 70_000])
    func `A batch keeps a name of any length, up to 65,534 bytes`(length: Int) throws {
        let name = ByteString(String(repeating: "x", count: length))
        var encoder = BatchEncoder(boot: "", actors: ActorTable())
        name.withStored { encoder.drop(1, named: $0) }
        name.withStored { encoder.image(machines[0], $0, 1, seq: 1, TurnTime(wallNanoseconds: 1, bootNanoseconds: 1)) }
        let row = BatchBytes()
        encoder.close(into: row)
        var (decoder, names) = (try BatchDecoder(row.batches()[0].bytes), [Int]())
        while let entry = try decoder.next() {
            switch entry {
            case .drop(_, let name): names.append(name.withText { $0.count })
            case .image(let image): names.append(image.head.name.withText { $0.count })
            case .line, .lastLife: continue
            }
        }
        #expect(names == [min(length, 65_534), min(length, 65_534)])
    }

    @Test(arguments: [(-1, 0), (0, 0), (3, 3), (31, 31), (32, 31), (.min, 0), (.max, 31)])
    func `Flags of a timer have 31 due milestones at most, whatever an edited row says`(count: Int, kept: Int) {
        #expect(TimerFlags.milestones(due: count).milestonesDue == kept)
    }

    // MARK: Sessions that are set aside

    private static let timers =
        #"{"name":"rest","kind":"countdown","remaining_ns":5,"paused":true,"milestones_due":3},"#
        + #"{"name":"bell","kind":"pendulum","remaining_ns":7,"paused":false},"#
        + #"{"name":"gone","kind":"countdown","remaining_ns":null,"paused":false}]"#

    /// Lends the row of a session that waits, with these marks before its timers.
    private func withRow(_ marks: String, _ body: (SessionRow) throws -> Void) throws {
        let texts = ["room", "door", "open", #"{"n":1}"#, "[" + marks + Self.timers, "[]", #"{"n":0}"#].map { Array($0.utf8) }
        try texts.withBytes { texts in
            try body(
                SessionRow(
                    id: SessionRow.unnumbered, name: texts[0], flow: texts[1], state: texts[2], data: texts[3],
                    timers: texts[4], version: 8, since: 2, saved: 5_000_003, paused: true, life: 9, waiting: texts[5],
                    context: texts[6], seq: 12))
        }
    }

    private func expiry(isPaused: Bool) -> String {
        #"{"name":"--expire 10m","kind":"countdown","remaining_ns":3,"paused":\#(isPaused)},"#
    }

    @Test func `A round writes a set-aside session's row as it was, with the mark that it is set aside`() throws {
        var written: [OwnedSessionRow] = []
        try withRow(expiry(isPaused: false)) { row in
            let held = SetAsideRow(row, problem: "it does not fit", isQuarantined: false)
            let timers = try #require(held.markedTimers)
            let store = MemoryStore()
            let tables = try store.openTables()
            try tables.append(ShardBatch(.only, number: 1, bytes: UnsafeRawBufferPointer(start: nil, count: 0)))
            let marked = try batch { $0.image(of: row, timers, named: $1) }
            let round = TablesRound([marked], loggedThrough: 1, after: nil, historyLines: 10)
            while try !round.step(.only, tables) {}
            try store.load(sessions: { written.append(OwnedSessionRow($0, at: 0)) }, history: { _ in }, log: { _, _ in })
        }
        try withRow(expiry(isPaused: true)) { row in
            let expected = Array(":0".utf8).withUnsafeBytes { boot in
                var row = row
                row.extra = boot
                return OwnedSessionRow(row, at: 0)
            }
            #expect(written == [expected])
            #expect(SetAsideRow(row, problem: "", isQuarantined: false).markedTimers == nil, "it has the mark")
            let image = try row.image(at: StoredTime(bootID: "", time: TurnTime(wallNanoseconds: 0, bootNanoseconds: 0)))
            #expect(image.wasSetAside)
        }
    }

    @Test func `The row of a session that does not expire, or is quarantined, gets no mark`() throws {
        try withRow("") { #expect(SetAsideRow($0, problem: "", isQuarantined: false).markedTimers == nil) }
        try withRow(expiry(isPaused: false)) { #expect(SetAsideRow($0, problem: "", isQuarantined: true).markedTimers == nil) }
    }

    // MARK: The history

    /// Lines of the session `room` with these serial numbers.
    private func lines(_ serials: Range<UInt64>) throws -> Batch {
        let (machine, entries) = (machines[0], EntryEncoder())
        return try batch { encoder, name in
            for serial in serials {
                let entry = HistoryEntry(
                    from: 0, to: 0, cause: HistoryEntry.Cause(.ui), detail: nil, at: .zero, version: UInt32(serial))
                encoder.line(
                    entries.encode(entry, of: machine.tag, 0), machine.kind, name, 1,
                    EntryNumber(serial: serial, seq: UInt32(serial) + 1),
                    TurnTime(wallNanoseconds: 1_000_000, bootNanoseconds: 1))
            }
        }
    }

    /// The serial numbers in each block, after a round of these batches.
    private func blocks(_ batches: Batch..., after newest: Int64?, historyLines: Int = 10_000) throws -> [ClosedRange<Int64>] {
        let store = MemoryStore(historyCapacity: 10_000)
        let tables = try store.openTables()
        try tables.append(ShardBatch(.only, number: 1, bytes: UnsafeRawBufferPointer(start: nil, count: 0)))
        let round = TablesRound(batches, loggedThrough: 1, after: newest, historyLines: historyLines)
        while try !round.step(.only, tables) {}
        var blocks: [ClosedRange<Int64>] = []
        try store.load(
            sessions: { _ in },
            history: { block in
                let lines = try HistoryBlockReader.lines(of: block)
                #expect(lines.map(\.serial) == (UInt64(block.first)...UInt64(block.last)).map { $0 })
                blocks.append(block.first...block.last)
            }, log: { _, _ in })
        return blocks
    }

    @Test func `A round adds only entries after the newest one in the tables`() throws {
        #expect(try blocks(lines(5..<8), lines(8..<12), after: nil) == [5...11])
        #expect(try blocks(lines(5..<8), lines(8..<12), after: 9) == [10...11])
        #expect(try blocks(lines(5..<8), after: 7) == [])
    }

    /// The latest count of the entry with this serial number.
    private func again(_ serial: UInt64, times: UInt32) throws -> Batch {
        let (machine, entries) = (machines[0], EntryEncoder())
        return try batch { encoder, name in
            let tick = HistoryEntry(
                from: 0, to: 0, cause: HistoryEntry.Cause(.timer, timer: 0), detail: nil, at: .zero, version: 100 + times)
            encoder.line(
                entries.encode(tick, of: machine.tag, 0), machine.kind, name, 1,
                EntryNumber(serial: serial, seq: 200 + times, times: times),
                TurnTime(wallNanoseconds: Int64(times) * 1_000_000, bootNanoseconds: 1))
        }
    }

    @Test func `A round writes the latest count of an entry of this round or an earlier one`() throws {
        let store = MemoryStore(historyCapacity: 10_000)
        let tables = try store.openTables()
        for number: Int64 in 1...2 {
            try tables.append(ShardBatch(.only, number: number, bytes: UnsafeRawBufferPointer(start: nil, count: 0)))
        }
        let first = try [lines(5..<8), again(6, times: 2), lines(8..<10), again(9, times: 2), again(6, times: 3)]
        let second = try [again(6, times: 4), again(6, times: 5), lines(10..<11)]
        for (number, batches) in [first, second].enumerated() {
            let newest = number == 0 ? nil : Int64(9)
            let round = TablesRound(batches, loggedThrough: Int64(number) + 1, after: newest, historyLines: 10_000)
            while try !round.step(.only, tables) {}
        }
        var found: [UInt64: RepeatRow] = [:]
        var serials: [UInt64] = []
        try store.load(
            sessions: { _ in },
            history: { block in
                for line in try HistoryBlockReader.lines(of: block) {
                    serials.append(line.serial)
                    found[line.serial] = line.repeats
                }
            }, log: { _, _ in })
        #expect(serials == Array(5...10), "the serial numbers of entries follow each other, whatever was counted in between")
        #expect(
            found == [
                6: RepeatRow(serial: 6, times: 5, lastAt: 5, lastSeq: 205, lastVersion: 105),
                9: RepeatRow(serial: 9, times: 2, lastAt: 2, lastSeq: 202, lastVersion: 102),
            ])
    }

    @Test func `A round fills blocks of 256 entries, and keeps those that the history has room for`() throws {
        #expect(try blocks(lines(0..<600), after: nil) == [0...255, 256...511, 512...599])
        #expect(try blocks(lines(0..<600), after: nil, historyLines: 89) == [256...511, 512...599])
        #expect(try blocks(lines(0..<600), after: nil, historyLines: 88) == [512...599])
    }
}

extension [[UInt8]] {
    /// Lends the bytes of all of them.
    fileprivate func withBytes(_ body: ([Text]) throws -> Void) rethrows {
        let all = BatchBytes()
        all.reserve(reduce(0) { $0 + $1.count })
        var texts: [Text] = []
        for bytes in self {
            let start = all.count
            bytes.withUnsafeBytes { all.write($0) }
            texts.append(Text(rebasing: all.bytes[start...]))
        }
        try withExtendedLifetime(all) { try body(texts) }
    }
}

// What a node knows of its commits when a database that went back in time lacks them.

import Cluster
import Store
import Testing
@testable import Journal

@Suite struct `The recent rows of a node` {
    private static let epoch: Int64 = 3
    private let recent = RecentRows()

    /// Rows 11 to 13 of shard 0.
    init() {
        let shard = Shard(0, epoch: Self.epoch)
        recent.own(shard, after: 10)
        for number in 11...13 as ClosedRange<Int64> {
            let batches = BatchBytes()
            batches.write(UInt8(number))
            var commit = Commit()
            commit.add(
                Turn(
                    number: UInt64(number), batches: batches,
                    parts: [Turn.Part(shard: shard, range: 0..<1, taken: [MessageID(1, key: number)])], isWhole: true)
            ) { _ in number }
            for row in commit.rows { recent.add(row, at: number) }
        }
    }

    private func missing(at epoch: Int64, after last: Int64) -> RecentRows.Missing? {
        recent.missing(in: Shard(0, epoch: epoch), after: last)
    }

    @Test(arguments: [0, 1, Remembered.jump, Remembered.jump + 1, 3 * Remembered.jump])
    func `The rows that a log lacks can be written again while no other node has owned the shard`(later: Int64) throws {
        let missing = try #require(self.missing(at: Self.epoch + later, after: 11))
        #expect(missing.rows.map(\.number) == [12, 13] && missing.rows.map { $0.batches.bytes[0] } == [12, 13])
        #expect(missing.lost == 0)
        #expect(missing.rows.allSatisfy { $0.sent.shard.epoch == Self.epoch + later }, "the fence refuses the former epoch")
        #expect(self.missing(at: Self.epoch + later, after: 13) == nil, "the log has all")
        #expect(try #require(self.missing(at: Self.epoch + later, after: 8)).lost == 2, "rows 9 and 10 are another node's")
    }

    @Test(arguments: [2, Remembered.jump - 1, Remembered.jump + 2])
    func `The rows that a log lacks are lost if another node may have owned the shard since`(later: Int64) throws {
        let missing = try #require(self.missing(at: Self.epoch + later, after: 11))
        #expect(missing.rows.isEmpty && missing.lost == 2)
        #expect(self.missing(at: Self.epoch + later, after: 13) == nil, "the other node has continued the log")
    }

    /// The keys of the applied messages among those of the rows and one more.
    private var applied: [Int64] { [11, 12, 13, 14].filter { recent.hasApplied($0, in: 0) } }

    @Test(arguments: [0, 1, Remembered.jump])
    func `A node knows the messages that a shard's recent rows have applied while no other node has owned it`(later: Int64) {
        #expect(applied == [11, 12, 13] && !recent.hasApplied(11, in: 1))
        recent.own(Shard(0, epoch: Self.epoch + later), after: 13)
        #expect(applied == [11, 12, 13])
        recent.own(Shard(0, epoch: Self.epoch + later + 2), after: 13)
        #expect(applied.isEmpty)
    }

    @Test func `A node forgets the messages that a shard has applied with the rows that it no longer keeps`() {
        let shard = Shard(0, epoch: Self.epoch)
        var commit = Commit()
        let part = Turn.Part(shard: shard, range: 0..<0)
        commit.add(Turn(number: 14, batches: BatchBytes(), parts: [part], isWhole: true)) { _ in 14 }
        for row in commit.rows { recent.add(row, at: 60_000_000_013) }
        #expect(applied == [13])
    }

    @Test func `A node remembers a message that two rows have, until it has neither`() {
        let shard = Shard(0, epoch: Self.epoch)
        for (number, at) in [(14, 100), (15, 60_000_000_014), (16, 60_000_000_101)] as [(Int64, Int64)] {
            var commit = Commit()
            let part = Turn.Part(shard: shard, range: 0..<0, taken: number == 14 ? [MessageID(2, key: 13)] : [])
            commit.add(
                Turn(number: UInt64(number), batches: BatchBytes(), parts: [part], isWhole: true)
            ) { _ in number }
            for row in commit.rows { recent.add(row, at: at) }
            #expect(applied == [14: [11, 12, 13], 15: [13], 16: []][number])
        }
    }

    /// Adds a row of one byte, and returns its memory.
    private func addRow(_ number: Int64, of shard: Shard, at time: Int64) -> BatchBytes {
        let batches = BatchBytes()
        batches.write(UInt8(number))
        var commit = Commit()
        let part = Turn.Part(shard: shard, range: 0..<1)
        commit.add(Turn(number: 1, batches: batches, parts: [part], isWhole: true)) { _ in number }
        for row in commit.rows { recent.add(row, at: time) }
        return batches
    }

    @Test func `A node releases the memory of a row that it no longer keeps, although its shard gets no other one`() {
        let (quiet, busy) = (Shard(1, epoch: Self.epoch), Shard(0, epoch: Self.epoch))
        recent.own(quiet, after: 10)
        weak var first: BatchBytes?
        weak var second: BatchBytes?
        first = addRow(11, of: quiet, at: 100)
        second = addRow(12, of: quiet, at: 200)
        #expect(first != nil && second != nil)
        _ = addRow(14, of: busy, at: 60_000_000_150)
        #expect(first == nil && second != nil)
        _ = addRow(15, of: busy, at: 60_000_000_250)
        #expect(second == nil)
    }
}

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
                    number: UInt64(number), batches: batches, parts: [Turn.Part(shard: shard, range: 0..<1)], mail: [],
                    isWhole: true)
            ) { _ in number }
            for row in commit.rows { recent.add(row, at: 0) }
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
}

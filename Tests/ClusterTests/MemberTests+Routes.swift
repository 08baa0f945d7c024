// Where a member redirects clients of shards that it does not own.

import Cluster
import Testing
import Timers

extension `A member of a cluster` {
    private var third: Incarnation { Incarnation(3) }

    /// A node that joined at 0 ms, and owns shard 0.
    private func joinedOfThree() throws -> Member { try joined([1, 2, 3, 3], others: [record(2), record(3)]) }

    @Test func `A node that has just started redirects clients to the owners at once`() throws {
        let member = try joinedOfThree()
        #expect(member.route(ofShard: 0, at: instant(0)) == .here)
        #expect(member.route(ofShard: 1, at: instant(0)) == .elsewhere(record(2)))
        #expect(member.route(ofShard: 2, at: instant(0)) == .elsewhere(record(3)))
    }

    /// A node whose shard 2 moved from the third node to the second, which it heard at 510 ms.
    private func informed() throws -> Member {
        let member = try joinedOfThree()
        let asked = try question(member.handle(.timePassed, at: instant(500)))
        let moved = update(2, shards: [ShardRecord(shard: 2, owner: other, epoch: 2)])
        _ = member.handle(.answered(asked.number, .update(moved)), at: instant(510))
        #expect(member.route(ofShard: 1, at: instant(511)) == .elsewhere(record(2)))
        #expect(member.route(ofShard: 2, at: instant(511)) == .inTransfer)
        return member
    }

    @Test func `A node redirects clients to a new owner once that serves the shard`() throws {
        let member = try informed()
        _ = member.handle(.arrived([Arrival(shard: 2, epoch: 2)]), at: instant(520))
        #expect(member.route(ofShard: 2, at: instant(520)) == .elsewhere(record(2)))
    }

    @Test func `A node redirects clients to a new owner 3 s after the change at the latest`() throws {
        let member = try informed()
        for time in [1_500, 2_500] as [Int64] {
            let asked = try question(member.handle(.timePassed, at: instant(time)))
            _ = member.handle(.answered(asked.number, .update(update(2))), at: instant(time))
        }
        #expect(member.route(ofShard: 2, at: instant(3_509)) == .inTransfer)
        #expect(member.route(ofShard: 2, at: instant(3_510)) == .elsewhere(record(2)))
    }

    @Test func `A node that joins again redirects clients at once, unless a shard has moved since it was there`() throws {
        let member = try joinedOfThree()
        let asked = try question(member.handle(.timePassed, at: instant(500)))
        let join = try question(member.handle(.answered(asked.number, .ended), at: instant(10_000)))
        let shards = [
            ShardRecord(shard: 0, owner: other, epoch: 2), ShardRecord(shard: 1, owner: other, epoch: 1),
            ShardRecord(shard: 2, owner: third, epoch: 2), ShardRecord(shard: 3, owner: third, epoch: 3),
        ]
        let everything = update(5, nodes: [record(4), record(2), record(3)], shards: shards)
        _ = member.handle(.answered(join.number, .joined(Incarnation(4), everything, deaths: 0)), at: instant(10_010))
        #expect(member.route(ofShard: 0, at: instant(10_020)) == .inTransfer, "it was this node's")
        #expect(member.route(ofShard: 1, at: instant(10_020)) == .elsewhere(record(2)))
        #expect(member.route(ofShard: 2, at: instant(10_020)) == .elsewhere(record(3)), "its owner has loaded it again")
        #expect(member.route(ofShard: 3, at: instant(10_020)) == .inTransfer, "it was another node's meanwhile")
    }
}

import Testing

@testable import Cluster

struct RoutingTests {
    @Test func `a slot is its shard's owner's`() {
        let view = view([record(1), record(2)], [1, 0, 2, 2])
        #expect(view.owner(ofSlot: 0)?.address.description == "node-1:7654")
        #expect(view.owner(ofSlot: 4_096) == nil)
        #expect(view.owner(ofSlot: 16_383)?.incarnation == Incarnation(2))
    }

    @Test func `neighbouring shards of one owner are one range of slots`() {
        let ranges = view([record(1), record(2)], [1, 0, 2, 2]).slotRanges
        #expect(
            ranges == [
                SlotRange(slots: 0...4_095, owner: Incarnation(1)), SlotRange(slots: 8_192...16_383, owner: Incarnation(2)),
            ])
    }

    @Test func `news of shards and nodes that are not there change nothing`() {
        var view = view([record(1)], [1, 1])
        view.apply(
            news(
                2, nodes: [record(9, hasEnded: true)],
                shards: [ShardRecord(shard: 5, owner: nil, epoch: 1), ShardRecord(shard: -1, owner: nil, epoch: 1)]))
        #expect(view.slotRanges == [SlotRange(slots: 0...16_383, owner: Incarnation(1))])
    }
}

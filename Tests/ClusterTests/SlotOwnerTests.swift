import Testing

@testable import Cluster

@Suite struct `A slot and its owner` {
    @Test func `A slot belongs to the owner of its shard`() {
        let view = view([record(1), record(2)], [1, 0, 2, 2])
        #expect(view.owner(ofSlot: 0)?.address.description == "node-1:7654")
        #expect(view.owner(ofSlot: 4_096) == nil)
        #expect(view.owner(ofSlot: 16_383)?.incarnation == Incarnation(2))
    }

    @Test func `A shard is in its owner's part even if the owner becomes known later`() {
        var view = view([record(1)], [1, 2, 0, 3])
        view.apply(update(2, nodes: [record(2)]))
        #expect(view.parts.map(Array.init) == [[0], [1]])
        view.apply(update(3, nodes: [record(3)], shards: [ShardRecord(shard: 1, owner: Incarnation(3), epoch: 2)]))
        #expect(view.parts.map(Array.init) == [[0], [], [1, 3]])
    }

    @Test func `The shards of an ended node are in no node's part until the registry names their owner`() {
        var view = view([record(1), record(2)], [1, 2, 2, 2])
        view.apply(
            update(2, nodes: [record(2, hasEnded: true)], shards: [ShardRecord(shard: 1, owner: Incarnation(1), epoch: 2)]))
        #expect(view.parts.map(Array.init) == [[0, 1]])
        view.apply(update(3, shards: [2, 3].map { ShardRecord(shard: $0, owner: $0 == 2 ? nil : Incarnation(1), epoch: 2) }))
        #expect(view.parts.map(Array.init) == [[0, 1, 3]] && Array(view.free) == [2])
    }

    @Test func `An update about shards and nodes that do not exist changes nothing`() {
        var view = view([record(1)], [1, 1])
        view.apply(
            update(
                2, nodes: [record(9, hasEnded: true)],
                shards: [ShardRecord(shard: 5, owner: nil, epoch: 1), ShardRecord(shard: -1, owner: nil, epoch: 1)]))
        #expect(view.parts.map(Array.init) == [[0, 1]] && view.free.isEmpty)
    }
}

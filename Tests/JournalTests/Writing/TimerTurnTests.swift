// What a stop still writes. Turns that have nothing but the remaining times of `freeze` timers lose nothing that was acknowledged.

import Store
import TestSupport
import Testing
@testable import Journal

@Suite struct `Remaining times of timers at a stop` {
    private static func turn(_ number: UInt64, _ shards: [Int], hasOnlyTimers: Bool) -> Turn {
        let parts = shards.map { Turn.Part(shard: Shard($0, epoch: 3), range: 0..<0) }
        return Turn(
            number: number, batches: BatchBytes(), parts: parts, isWhole: true, hasOnlyTimers: hasOnlyTimers)
    }

    @Test func `A commit of several turns has only times of a shard that no turn has changed`() {
        var commit = Commit()
        commit.add(Self.turn(1, [0, 1], hasOnlyTimers: true)) { _ in 11 }
        commit.add(Self.turn(2, [1, 3], hasOnlyTimers: false)) { _ in 11 }
        commit.add(Self.turn(3, [1, 2], hasOnlyTimers: true)) { $0.number == 2 ? nil : 11 }
        #expect(commit.onlyTimers == [0, 2] && commit.leftOut == [2])
    }

    @Test(arguments: [false, true])
    func `Times that are not written are no unwritten changes, and do not hide changes of their shard`(isChanged: Bool) throws {
        let store = try ScriptedStore()
        let worker = try Worker(named: "gamed.log")
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        let writer = LogWriter(store, tables, RecentRows(), on: worker) { _ in }
        store.isHanging = true
        worker.start([writer])
        for number in 0..<2 { writer.own(Shard(number, epoch: 3), after: 10) }
        writer.prepareToLeave()
        if isChanged { writer.enqueue(Self.turn(1, [1], hasOnlyTimers: false)) }
        writer.enqueue(Self.turn(2, [0, 1], hasOnlyTimers: true))
        Worker.finish([worker], within: .milliseconds(10)) { store.cancelConnections() }
        #expect(writer.report.failure != nil)
        #expect(writer.unwritten == (isChanged ? [1] : []) && writer.lacksOnlyTimers == !isChanged)
    }

    @Test(arguments: [false, true])
    func `A stop tries a commit that fails once more where the store is a directory`(isDirectory: Bool) throws {
        let store = try ScriptedStore()
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        let worker = try Worker(named: "gamed.log")
        // The worker is not started: the test ends the job.
        let writer = LogWriter(store, tables, isDirectory ? nil : RecentRows(), on: worker) { _ in }
        writer.own(Shard(0, epoch: 3), after: 10)
        writer.enqueue(Self.turn(1, [0], hasOnlyTimers: false))
        store.complete(with: .failure(StoreError(.full, "the disk is full")))
        store.complete(with: .refused([]))
        writer.end()
        #expect(store.sent.count == (isDirectory ? 2 : 1) && writer.unwritten == (isDirectory ? [] : [0]))
    }

    @Test func `A stop syncs the commits before one that fails where the store is a directory`() throws {
        let store = try ScriptedStore(.everysec)
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        // The worker is not started: the test ends the job.
        let writer = LogWriter(store, tables, nil, on: try Worker(named: "gamed.log")) { _ in }
        writer.own(Shard(0, epoch: 3), after: 10)
        writer.enqueue(Self.turn(1, [0], hasOnlyTimers: false))
        store.complete(with: .refused([]))
        while case .worked = writer.step() {}
        writer.enqueue(Self.turn(2, [0], hasOnlyTimers: false))
        for _ in 1...2 { store.complete(with: .failure(StoreError(.full, "the disk is full"))) }
        writer.end()
        #expect(writer.unwritten == [0] && writer.counts.syncs.count == 1 && writer.report.failure?.cause == .full)
    }
}

// Turns that a node writes to a shared store, with each outcome of a commit.

import Cluster
import Memory
import RESP
import Store
import TestSupport
import Testing
@testable import Journal
@testable import Sessions

@Suite final class `The writer of a shared store` {
    let store: ScriptedStore
    let tables: TablesWriter
    let writer: LogWriter
    let worker: Worker
    private var lastTurn: UInt64 = 0

    init() throws {
        store = try ScriptedStore()
        worker = try Worker(named: "gamed.log")
        // The worker of the tables is not started.
        let tablesWorker = try Worker(named: "gamed.tables")
        tables = TablesWriter(store, historyLines: 10, on: tablesWorker) {}
        writer = LogWriter(store, tables, RecentRows(), on: worker) { _ in }
        worker.start([writer])
        for number in 0..<4 { writer.own(Self.shard(number), after: 10) }
    }

    deinit {
        Worker.finish([worker], within: .milliseconds(0)) { store.cancelConnections() }
    }

    static func shard(_ number: Int) -> Shard { Shard(number, epoch: 3) }

    /// Enqueues a turn that has changed these shards, by `bytes` bytes each.
    func change(_ shards: Int..., bytes: Int = 100) {
        let batches = BatchBytes()
        batches.reserve(shards.count * bytes)
        for _ in 0..<(shards.count * bytes) { batches.write(0 as UInt8) }
        let parts = shards.enumerated().map { index, shard in
            Turn.Part(shard: Self.shard(shard), range: index * bytes..<(index + 1) * bytes)
        }
        lastTurn += 1
        writer.enqueue(Turn(number: lastTurn, batches: batches, parts: parts, isWhole: true))
    }

    func row(_ shard: Int, _ number: Int64, bytes: Int = 100) -> ScriptedStore.Row {
        ScriptedStore.Row(shard: shard, number: number, bytes: bytes)
    }

    func becomesSafe(through turn: UInt64) -> Bool { eventually { self.writer.report.safeThrough == turn } }

    func isSent(_ count: Int) -> Bool { eventually { self.store.sent.count == count } }

    // MARK: Refusals

    @Test func `A shard whose commit is refused is lost with its part of the turn, and the others continue`() {
        change(0, 1)
        store.complete(with: .refused([1]))
        #expect(becomesSafe(through: 1))
        #expect(writer.report.lostThrough == 1)
        #expect(writer.drainLost() == [Self.shard(1)] && writer.drainLost() == [])
        change(0, 1)
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 2))
        #expect(store.sent == [[row(0, 11), row(1, 11)], [row(0, 12)]], "a lost shard is not sent")
        #expect(writer.report.lostThrough == 2, "a part of the turn was left out")
        change(0)
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 3))
        #expect(writer.report.lostThrough == 2 && writer.backlogBytes == 0)
    }

    // MARK: Failures

    @Test func `A commit with an unknown outcome loses its shards and those of the turns queued behind it`() {
        for shard in 0..<3 {
            change(shard)
            if shard < 2 { #expect(isSent(shard + 1)) }
        }
        store.complete(with: .failure(StoreError(.unknown, "gone")))
        #expect(becomesSafe(through: 3))
        #expect(writer.report.lostThrough == 3 && writer.backlogBytes == 0)
        #expect(writer.drainLost() == [Self.shard(0), Self.shard(1), Self.shard(2)])
        change(0, 3)
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 4))
        #expect(store.sent == [[row(0, 11)], [row(1, 11)], [row(3, 11)]])
    }

    @Test(arguments: [false, true])
    func `A connection that breaks before anything is sent on it loses nothing, although its error is an unknown outcome`(
        isOpen: Bool
    ) {
        change(0)
        #expect(isSent(1))
        store.failNextConnection(with: StoreError(.unknown, "the connection has ended"), isOpen: isOpen)
        store.complete(with: .failure(StoreError(.failed, "the server is shutting down")))
        #expect(eventually { self.writer.report.failures > 0 })
        change(1, bytes: 150)
        #expect(isSent(3))
        for _ in 1...2 { store.complete(with: .refused([])) }
        #expect(becomesSafe(through: 2))
        #expect(store.sent.prefix(2) == [[row(0, 11)], [row(0, 11)]] && writer.report.lostThrough == 0)
        #expect(writer.drainLost() == [])
    }

    @Test func `A failed commit is sent again unchanged, before later changes`() {
        change(0, 1)
        #expect(isSent(1))
        change(0)
        change(2, bytes: 150)
        #expect(isSent(2))
        store.complete(with: .failure(StoreError(.failed, "the disk is full")))
        #expect(isSent(4))
        let (first, second) = ([row(0, 11), row(1, 11)], [row(0, 12), row(2, 11, bytes: 150)])
        #expect(store.sent == [first, second, first, second])
        change(0)
        for _ in 0..<3 { store.complete(with: .refused([])) }
        #expect(becomesSafe(through: 4))
        #expect(store.sent.last == [row(0, 13)])
        let report = writer.report
        #expect(report.lostThrough == 0 && report.failures == 1)
        #expect(eventually { self.writer.report.failure == nil })
        #expect(writer.drainLost() == [] && writer.backlogBytes == 0)
    }

    @Test func `The writer reports a failure until the failed commits succeed, not just until it reconnects`() {
        change(0)
        store.complete(with: .failure(StoreError(.full, "the disk is full")))
        #expect(isSent(2))
        #expect(writer.report.failure?.description == "the disk is full")
        store.complete(with: .failure(StoreError(.full, "the disk is full")))
        #expect(isSent(3))
        #expect(writer.report.failure?.description == "the disk is full" && writer.report.failures == 2)
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 1))
        #expect(eventually { self.writer.report.failure == nil })
    }

    /// The server may read it after the commit before it was sent again, which it follows.
    @Test func `A commit that happens after it was given up loses its shards, and the others continue`() {
        change(0)
        #expect(isSent(1))
        change(1, 2, bytes: 150)
        #expect(isSent(2))
        store.complete(with: .failure(StoreError(.failed, "a lock is held")))
        #expect(isSent(4))
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 1))
        store.commitLate([1: 11, 2: 11])
        store.complete(with: .failure(StoreError(.failed, "the row is there")))
        #expect(becomesSafe(through: 2))
        #expect(writer.report.lostThrough == 2 && writer.drainLost() == [Self.shard(1), Self.shard(2)])
        change(0, 3)
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 3))
        #expect(eventually { self.writer.report.failure == nil } && writer.report.lostThrough == 2)
        let first = [row(0, 11)]
        let second = [row(1, 11, bytes: 150), row(2, 11, bytes: 150)]
        #expect(store.sent == [first, second, first, second, [row(0, 12), row(3, 11)]])
    }

    @Test func `An idle connection that ends is replaced, and no failure is reported`() {
        for count in 1...3 {
            #expect(eventually { self.store.connections == count })
            store.closeConnection()
        }
        #expect(eventually { self.store.connections == 4 })
        change(0)
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 1))
        let report = writer.report
        #expect(report.failures == 0 && report.failure == nil && report.lostThrough == 0)
    }

    // MARK: Changes that are not written

    @Test func `A writer that ends while it connects is cancelled, and names the shards whose changes are not written`() {
        #expect(eventually { self.store.connections == 1 })
        store.isHanging = true
        store.closeConnection()
        #expect(eventually { self.store.connections == 2 })
        change(0, 2)
        writer.drop(3)
        Worker.finish([worker], within: .milliseconds(10)) { [store] in store.cancelConnections() }
        #expect(writer.unwritten == [0, 2, 3] && writer.report.failure != nil && store.sent.isEmpty)
    }

    @Test func `Shards whose changes are not written are those of lost commits, until the store takes changes again`() {
        change(0, 1)
        store.complete(with: .refused([1]))
        #expect(becomesSafe(through: 1))
        #expect(writer.unwritten == [1])
        change(1, 2)
        store.isHanging = true
        store.complete(with: .failure(StoreError(.unknown, "gone")))
        #expect(becomesSafe(through: 2))
        #expect(writer.unwritten == [1, 2])
        store.isHanging = false
        #expect(eventually { self.writer.report.failure == nil } && writer.unwritten.isEmpty)
    }

    @Test func `Changes that are lost while a node leaves count as unwritten, also if the store recovers`() {
        change(0, 1)
        store.complete(with: .refused([1]))
        #expect(becomesSafe(through: 1))
        writer.prepareToLeave()
        #expect(writer.unwritten.isEmpty, "that loss was reported before")
        change(1, 2)
        store.complete(with: .failure(StoreError(.unknown, "gone")))
        #expect(becomesSafe(through: 2))
        #expect(eventually { self.writer.report.failure == nil } && writer.unwritten == [1, 2])
    }

    @Test func `A commit is sent again without the rows of shards that another commit has lost`() {
        change(0)
        #expect(isSent(1))
        change(0, 1, bytes: 150)
        #expect(isSent(2))
        store.complete(with: .refused([0]))
        store.complete(with: .failure(StoreError(.failed, "the preceding commit was refused")))
        #expect(isSent(3))
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 2))
        #expect(store.sent.last == [row(1, 11, bytes: 150)])
        #expect(writer.report.lostThrough == 2 && writer.drainLost() == [Self.shard(0)])
    }

    @Test func `Missing rows that the writer no longer has are reported with the versions in the tables`() {
        change(2)
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 1))
        store.rewind(to: [2: 7], saved: [SavedVersion(name: "room", life: 3, version: 5)])
        store.closeConnection()
        #expect(isSent(2))
        store.complete(with: .refused([]))
        #expect(store.sent.last == [row(2, 11)])
        let gaps = writer.drainGaps()
        #expect(gaps.keys.map(\.number) == [2] && gaps[Self.shard(2)]?.map(\.version) == [5])
    }

    // MARK: Tables that stay behind

    /// The worker of the tables is not started: the test runs its steps, which find no tables.
    @Test func `Changes are refused while too many wait for tables that fail, and are written once fewer wait`() {
        let large = BatchBytes()
        large.reserve(64 << 20)
        Array(repeating: 0 as UInt8, count: 64 << 20).withUnsafeBytes { large.write($0) }
        for turn in 1...4 as ClosedRange<UInt64> {
            lastTurn = turn
            let part = Turn.Part(shard: Self.shard(0), range: 0..<large.count)
            writer.enqueue(Turn(number: turn, batches: large, parts: [part], isWhole: true))
            store.complete(with: .refused([]))
            #expect(becomesSafe(through: turn))
        }
        _ = tables.step()
        #expect(tables.failure != nil && writer.report.failure == nil, "nothing waits for the tables")
        change(1)
        let failure = "too many changes are not in the tables: a scripted store has no tables"
        #expect(eventually { self.writer.report.failure?.description == failure })
        var isFailing = true
        let isTriedAgain = eventually {
            if self.writer.report.failure == nil { isFailing = false }
            return self.writer.report.failures >= 3
        }
        #expect(isTriedAgain && isFailing)
        tables.forget(Self.shard(0))
        #expect(isSent(5))
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 5))
        #expect(eventually { self.writer.report.failure == nil } && writer.report.lostThrough == 0)
        #expect(store.sent.last == [row(1, 11)])
    }

    // MARK: Commits

    @Test func `A commit waits for a larger one in flight, and grows meanwhile`() {
        change(0, bytes: 1_000)
        #expect(isSent(1))
        let waits = store.waits
        change(1)
        // The writer has been woken, has found nothing to send, and waits again.
        #expect(eventually { self.store.waits > waits })
        change(1, bytes: 900)
        #expect(isSent(2))
        #expect(store.sent == [[row(0, 11, bytes: 1_000)], [row(1, 11, bytes: 1_000)]])
        change(2)
        store.complete(with: .refused([]))
        store.complete(with: .refused([]))
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 4))
    }
}

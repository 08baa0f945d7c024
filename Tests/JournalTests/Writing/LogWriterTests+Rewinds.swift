// Turns that a node writes to a shared store which goes back in time: commits that it had acknowledged are missing on a new connection.

import Cluster
import Dispatch
import Memory
import Store
import TestSupport
import Testing
@testable import Journal

extension `The writer of a shared store` {
    @Test func `Committed rows that are missing on a new connection are sent again, before later ones`() {
        for number in 1...2 {
            change(0, 1)
            store.complete(with: .refused([]))
            #expect(becomesSafe(through: UInt64(number)))
        }
        store.rewind(to: [0: 11, 1: 10])
        store.closeConnection()
        #expect(isSent(4))
        change(0)
        for _ in 0..<3 { store.complete(with: .refused([])) }
        #expect(becomesSafe(through: 3))
        #expect(eventually { self.store.sent.count == 5 })
        #expect(
            store.sent == [
                [row(0, 11), row(1, 11)], [row(0, 12), row(1, 12)], [row(0, 12), row(1, 11)], [row(1, 12)], [row(0, 13)],
            ])
        #expect(writer.report.rewritten == 3 && writer.report.lostThrough == 0)
        #expect(writer.drainGaps().isEmpty && writer.drainLost().isEmpty)
    }

    /// Nothing shows whether their logs lack rows. As current ones they would be handed over.
    @Test func `Shards with epochs that other nodes have raised are lost on a new connection`() {
        change(0, 1)
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 1))
        store.rewind(to: [0: 10, 1: 10])
        store.raiseEpochs(of: 1)
        store.closeConnection()
        #expect(isSent(2))
        #expect(writer.drainLost() == [Self.shard(1)] && !writer.report.isCurrent)
        store.complete(with: .refused([]))
        #expect(eventually { self.writer.report.isCurrent })
        #expect(store.sent == [[row(0, 11), row(1, 11)], [row(0, 11)]] && writer.drainLost().isEmpty)
    }

    /// Under an epoch that is raised meanwhile, all of them would be refused, one after the other.
    @Test func `Rows that are sent again and refused do not hold up the rows behind them`() {
        for number in 1...3 {
            change(0)
            store.complete(with: .refused([]))
            #expect(becomesSafe(through: UInt64(number)))
        }
        store.rewind(to: [0: 10])
        store.closeConnection()
        #expect(isSent(5))
        change(0, 1)
        store.complete(with: .refused([0]))
        store.complete(with: .failure(StoreError(.failed, "the preceding commit was refused")))
        #expect(isSent(6), "not the other two once more")
        store.complete(with: .refused([]))
        #expect(becomesSafe(through: 4))
        #expect(store.sent.suffix(3) == [[row(0, 11)], [row(0, 12)], [row(1, 11)]])
        #expect(eventually { self.writer.report.failure == nil && self.writer.report.isCurrent })
        #expect(writer.report.failures == 1 && writer.drainLost() == [Self.shard(0)])
    }

    /// Rows that are sent again belong to no turn.
    @Test func `A row that is sent again and refused does not lower the number of the last lost turn`() {
        change(0, 1)
        store.complete(with: .refused([1]))
        #expect(becomesSafe(through: 1))
        store.rewind(to: [0: 10])
        store.closeConnection()
        #expect(isSent(2))
        store.complete(with: .refused([0]))
        #expect(eventually { self.writer.report.isCurrent })
        #expect(writer.report.lostThrough == 1 && writer.drainLost() == [Self.shard(0), Self.shard(1)])
    }

    @Test func `A writer that ends sends a commit again that failed with a refused one before it`() {
        change(0)
        #expect(isSent(1))
        change(1, bytes: 150)
        #expect(isSent(2))
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { [worker] in
            Worker.finish([worker], within: .seconds(60))
            ended.signal()
        }
        #expect(eventually { self.worker.isEnding })
        store.complete(with: .refused([0]))
        store.complete(with: .failure(StoreError(.failed, "the preceding commit was refused")))
        #expect(isSent(3))
        store.complete(with: .refused([]))
        #expect(ended.wait(timeout: .now() + 30) == .success)
        #expect(store.sent.last == [row(1, 11, bytes: 150)] && writer.report.safeThrough == 2)
    }

    /// The worker writes no more once it ends, so that all of it happens at the end.
    @Test func `A writer that ends writes what a new connection lacks, although some of it is refused`() {
        for number in 1...3 {
            change(0)
            store.complete(with: .refused([]))
            #expect(becomesSafe(through: UInt64(number)))
        }
        change(1)
        #expect(isSent(4))
        change(2, bytes: 150)
        #expect(isSent(5))
        store.rewind(to: [0: 10])
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { [worker] in
            Worker.finish([worker], within: .seconds(60))
            ended.signal()
        }
        #expect(eventually { self.worker.isEnding })
        store.complete(with: .refused([]))
        store.complete(with: .failure(StoreError(.failed, "the connection has ended")))
        // Then rows 11 and 12 of shard 0 are sent again. The first is refused, and fails the second.
        store.complete(with: .refused([0]))
        store.complete(with: .failure(StoreError(.failed, "the preceding commit was refused")))
        store.complete(with: .refused([]))
        #expect(ended.wait(timeout: .now() + 30) == .success)
        #expect(store.sent.last == [row(2, 11, bytes: 150)] && writer.report.safeThrough == 5, "\(store.sent)")
    }

    /// Shards that are being released wait for it, and an idle writer reports nothing else.
    @Test func `The writer reports that the store lacks nothing as soon as a new connection shows it`() throws {
        let (store, reported) = (try ScriptedStore(), DispatchSemaphore(value: 0))
        let worker = try Worker(named: "gamed.log")
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        let writer = LogWriter(store, tables, RecentRows(), on: worker) { _ in reported.signal() }
        worker.start([writer])
        defer { Worker.finish([worker], within: .milliseconds(0)) { store.cancelConnections() } }
        #expect(eventually { store.connections == 1 })
        store.closeConnection()
        #expect(reported.wait(timeout: .now() + 30) == .success)
        #expect(writer.report.isCurrent && store.connections == 2)
    }
}

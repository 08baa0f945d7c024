// The work of a backup, step by step: what is reported when.

import Cluster
import Store
import Synchronization
import Testing
@testable import Journal

@Suite struct `The work of a backup` {
    /// Reads the report of a start with each notification, as the loop does.
    private final class Reader: Sendable {
        private struct State {
            var work: BackupWork?
            var starts: [String?] = []
        }

        private let state = Mutex(State())

        func follow(_ work: BackupWork?) { state.withLock { $0.work = work } }

        func read() {
            let work = state.withLock { $0.work }
            let start = work?.unreportedStart?.error
            state.withLock { $0.starts.append(start) }
        }

        /// With each notification, the failure of the start that was reported with it, or nil.
        var starts: [String?] { state.withLock { $0.starts } }
    }

    private let store: ScriptedStore
    private let writer: LogWriter
    private let work: BackupWork
    private let reader = Reader()

    /// The workers are not started: a test runs the steps.
    init() throws {
        store = try ScriptedStore()
        let worker = try Worker(named: "gamed.log")
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        writer = LogWriter(store, tables, RecentRows(), on: worker) { _ in }
        work = BackupWork(of: store, writer, on: worker) { [reader] in reader.read() }
    }

    @Test func `A failed start and its end are reported with one notification, and another backup begins only after both`()
        throws
    {
        reader.follow(work)
        defer { reader.follow(nil) }
        #expect(work.begin(to: "first.db", through: 0))
        _ = work.step()
        #expect(reader.starts == [Self.failure])
        #expect(!work.begin(to: "second.db", through: 0), "its end is not reported")
        #expect(work.unreportedEnd?.path == "first.db")
        #expect(work.unreportedStart == nil)
        #expect(work.begin(to: "second.db", through: 0))
    }

    @Test func `A backup starts once the turns before it are committed, also if the writer was idle just before`() {
        enqueueTurn()
        #expect(work.begin(to: "copy.db", through: 1))
        _ = work.step()
        #expect(work.report.status == .running && work.unreportedStart == nil)
        store.complete(with: .refused([]))
        _ = writer.step()
        _ = work.step()
        #expect(work.unreportedStart?.error == Self.failure)
    }

    @Test func `A backup does not start while the log cannot be written, and reports the reason`() {
        enqueueTurn()
        #expect(work.begin(to: "copy.db", through: 1))
        store.complete(with: .failure(StoreError(.failed, "the disk is full")))
        _ = writer.step()
        _ = work.step()
        #expect(work.unreportedStart?.error == "the disk is full")
    }

    private static let failure = "a scripted store has no backups"

    private func enqueueTurn() {
        let shard = Shard(0, epoch: 3)
        writer.own(shard, after: 10)
        let batches = BatchBytes()
        batches.write(0 as UInt8)
        writer.enqueue(Turn(number: 1, batches: batches, parts: [Turn.Part(shard: shard, range: 0..<1)], isWhole: true))
    }
}

// The work of a backup, step by step: what is reported when.

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

    @Test func `A failed start and its end are reported with one notification, and another backup begins only after both`()
        throws
    {
        let store = try ScriptedStore()
        // The workers are not started: the test runs the step.
        let worker = try Worker(named: "gamed.log")
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        let writer = LogWriter(store, tables, RecentRows(), on: worker) { _ in }
        let reader = Reader()
        let work = BackupWork(of: store, writer, on: worker) { reader.read() }
        reader.follow(work)
        defer { reader.follow(nil) }

        #expect(work.begin(to: "first.db"))
        _ = work.step()
        #expect(reader.starts == ["a scripted store has no backups"])
        #expect(!work.begin(to: "second.db"), "its end is not reported")
        #expect(work.unreportedEnd?.path == "first.db")
        #expect(work.unreportedStart == nil)
        #expect(work.begin(to: "second.db"))
    }
}

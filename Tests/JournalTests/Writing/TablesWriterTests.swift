// The writer of the tables, beside a disk that fails.

import Memory
import MemoryStore
import Store
import TestSupport
import Testing
@testable import Journal
@testable import Sessions

@Suite struct `The writer of the tables` {
    private let store: MemoryStore
    private let batches = BatchBytes()
    /// Its worker is not started: the tests run the steps.
    private let tables: TablesWriter

    /// The log has one row.
    init() throws {
        store = MemoryStore()
        tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        var encoder = BatchEncoder(boot: "", actors: ActorTable())
        ByteString("room").withStored { encoder.drop(1, named: $0) }
        encoder.close(into: batches)
        try store.openTables().append(ShardBatch(.only, number: 1, bytes: UnsafeRawBufferPointer(start: nil, count: 0)))
        tables.add(batches, of: .only, logged: 1)
    }

    private func steps(until isReached: () -> Bool) -> Bool {
        eventually {
            _ = tables.step()
            return isReached()
        }
    }

    @Test func `Each connection compares the log with the commits, also one that was opened for maintenance`() throws {
        #expect(steps { tables.backlogBytes == 0 })
        store.trouble.failure = StoreError(.failed, "away")
        tables.add(batches, of: .only, logged: 2)
        #expect(steps { tables.failure == "away" })
        store.trouble.failure = nil
        tables.forget(.only)
        tables.maintain(.only)
        #expect(steps { tables.failure == nil })

        tables.add(batches, of: .only, logged: 2)
        #expect(steps { tables.failure?.contains("gone back in time") == true || tables.backlogBytes == 0 })
        #expect(tables.failure?.contains("gone back in time") == true, "the log has one row")
    }

    @Test func `The tables have failed until a round is written, also while rounds begin in vain`() throws {
        var reports: [String?] = []
        for failure in ["first", "second", "third", nil] {
            store.trouble.failure = failure.map { StoreError(.failed, $0) }
            let isReported = eventually {
                _ = tables.step()
                if reports.isEmpty || reports.last != tables.failure { reports.append(tables.failure) }
                return failure.map { tables.failure?.contains($0) ?? false }
                    ?? (tables.backlogBytes == 0 && tables.failure == nil)
            }
            #expect(isReported, "\(reports)")
        }
        #expect(reports.drop { $0 == nil }.dropLast().allSatisfy { $0 != nil }, "\(reports)")
        #expect(tables.failure == nil)
    }
}

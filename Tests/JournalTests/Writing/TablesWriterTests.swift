// The writer of the tables, beside a disk that fails.

import Memory
import MemoryStore
import Store
import TestSupport
import Testing
@testable import Journal
@testable import Sessions

@Suite struct `The writer of the tables` {
    @Test func `The tables have failed until a round is written, also while rounds begin in vain`() throws {
        let store = MemoryStore()
        var encoder = BatchEncoder(boot: "", actors: ActorTable())
        ByteString("room").withStored { encoder.drop(1, named: $0) }
        let batches = BatchBytes()
        encoder.close(into: batches)
        try store.openTables().append(ShardBatch(.only, number: 1, bytes: UnsafeRawBufferPointer(start: nil, count: 0)))
        // Its worker is not started: the test runs the steps.
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        tables.add(batches, of: .only, logged: 1)
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

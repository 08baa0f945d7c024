// The check of a database's structure, which runs while its rows are read.

import Store
import TestSupport
import Testing
import TinyJournal

@testable import SQLiteStore

@Suite struct `The structure check of a database` {
    /// Checking it takes more operations than there are between two checks for cancellation.
    private func filled() throws -> Folder {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data, capacity: 500)
        try journal.put((0..<500).map { (Int64($0), "state \($0)") })
        try journal.materialize()
        try journal.store.close()
        return folder
    }

    @Test func `The structure check finds nothing in an undamaged database`() throws {
        let folder = try filled()
        let check = try StructureCheck(of: folder.database)
        check.start()
        try check.wait()
        withExtendedLifetime(folder) {}
    }

    @Test func `A cancelled structure check ends without a result, also before its start`() throws {
        let folder = try filled()
        let check = try StructureCheck(of: folder.database)
        check.cancel()
        check.start()
        #expect(throws: StoreError.self) { try check.wait() }
        withExtendedLifetime(folder) {}
    }
}

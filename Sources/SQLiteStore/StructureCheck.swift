// SQLite's own check of a database while its rows are read.

import CSQLite
import Dispatch
import Store
import Synchronization

/// Checks a database on a thread and a connection of its own. The check reads the whole file; the reader of the rows would take a fifth longer if it did
/// that, too.
final class StructureCheck: Sendable {
    private let group = DispatchGroup()
    private let outcome = Mutex(Result<Void, StoreError>.success(()))

    init(of path: String) {
        DispatchQueue.global().async(group: group) { [self] in run(path) }
    }

    private func run(_ path: String) {
        do throws(StoreError) {
            try Schema.checkStructure(try Connection(path, .reading))
        } catch {
            outcome.withLock { $0 = .failure(error) }
        }
    }

    /// Waits for the end of the check. Throws if the database is damaged, or cannot be read.
    func wait() throws(StoreError) {
        group.wait()
        try outcome.withLock { $0 }.get()
    }
}

// A connection to the tables, opened when there is work, and again after a failure. Used by one thread alone, but for `cancel`.

import Store
import Synchronization

final class TablesConnection: Sendable {
    private let store: any Store
    private let cancelling = Mutex<(@Sendable () -> Void)?>(nil)
    private nonisolated(unsafe) var tables: (any StoreTables)?

    init(to store: any Store) { self.store = store }

    var isOpen: Bool { tables != nil }

    func opened() throws(StoreError) -> any StoreTables {
        if let tables { return tables }
        let new = try store.openTables()
        nonisolated(unsafe) let cancelled = new
        cancelling.withLock { $0 = { cancelled.cancel() } }
        tables = new
        return new
    }

    func close() {
        cancelling.withLock { $0 = nil }
        tables?.close()
        tables = nil
    }

    func cancel() { cancelling.withLock { $0?() } }
}

// A connection to the tables, opened when there is work, and again after a failure. Used by one thread alone.

import Store

final class TablesConnection: Sendable {
    private let store: any Store
    private nonisolated(unsafe) var tables: (any StoreTables)?

    init(to store: any Store) { self.store = store }

    var isOpen: Bool { tables != nil }

    func opened() throws(StoreError) -> any StoreTables {
        if let tables { return tables }
        let new = try store.openTables()
        tables = new
        return new
    }

    func close() {
        tables?.close()
        tables = nil
    }
}

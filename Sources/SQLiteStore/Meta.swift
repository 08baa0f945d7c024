// The store's own numbers, by name. Each is stored twice, once as its complement, so that damage shows.

import Store

enum Meta {
    static let covered = "covered", identity = "identity"

    /// Returns nil if the key is missing.
    static func number(_ key: String, _ connection: Connection) throws(StoreError) -> Int64? {
        let find = try Statement("SELECT value FROM meta WHERE key = ?", on: connection)
        let (value, complement) = (try number(key, find), try number(key + "~", find))
        if value == nil, complement == nil { return nil }
        guard let value, let complement, value == ~complement else {
            throw .damaged(connection.path, "the number '\(key)' of its table 'meta' is not what was written")
        }
        return value
    }

    private static func number(_ key: String, _ find: Statement) throws(StoreError) -> Int64? {
        try withText(key) { key throws(StoreError) in
            find.bind(1, text: key)
            guard try find.next() else { return nil }
            defer { find.stop() }
            return find.integer(0)
        }
    }

    /// `put` takes a key and a value.
    static func store(_ key: String, _ value: Int64, _ put: Statement) throws(StoreError) {
        for (key, value) in [(key, value), (key + "~", ~value)] {
            try withText(key) { key throws(StoreError) in
                put.bind(1, text: key)
                put.bind(2, value)
                try put.run()
            }
        }
    }
}

// Creates the tables on request, and reads the state of the schema.

import Postgres
import Store

/// The state of gamed's schema in a database.
struct SchemaState: Sendable {
    /// Nil if there are no tables of gamed.
    var version: Int64?
    var shards: Int64?
    /// Whether the tables were made before the first release.
    var isDraft = false
    /// Whether its sessions are moved, or were.
    var mark: StoreMark?

    /// Nil if there is nothing. Throws if this program cannot use what there is.
    func shards(at place: String) throws(StoreError) -> Int? {
        guard !isDraft else {
            throw StoreError(
                .older,
                "\(place) has tables from before the first release, which no release reads; they were left as they are: run the version "
                    + "that made them, or give --store another database")
        }
        guard let version else { return nil }
        guard version <= Schema.version else {
            throw StoreError(
                .newer,
                "\(place) has tables of version \(version), and this gamed reads \(Schema.version) at the most: start a newer one"
            )
        }
        guard let shards, (1...16_384).contains(shards) else {
            throw StoreError(
                .damaged, "\(place) does not say how many shards there are: the row 'shards' of its table meta is gone")
        }
        return Int(shards)
    }
}

package enum SchemaSetup {
    /// The result of `--init`.
    package enum Outcome: Equatable, Sendable {
        case made(shards: Int)
        /// All was there.
        case found(shards: Int)
    }

    /// Creates missing tables, in one transaction. `shards` is nil for the default number, or for the existing one.
    package static func run(_ address: String, shards: Int?, usual: Int) throws(StoreError) -> (place: String, outcome: Outcome)
    {
        let connection = try askingAtStart { () throws(PostgresError) in try Connection(address) }
        defer { connection.close() }
        // Two that do so at once wait for each other.
        _ = try asking { () throws(PostgresError) in try connection.run("BEGIN; SELECT pg_advisory_xact_lock(7205759403792794)")
        }
        let place = connection.server
        if let there = try asking({ () throws(PostgresError) in try inspect(connection) }).shards(at: place) {
            guard shards == nil || shards == there else {
                throw StoreError(
                    .unusable,
                    "\(place) has \(there) shards, which cannot be changed; `--shards \(there)` or none says the same")
            }
            return (place, .found(shards: there))
        }
        let shards = shards ?? usual
        _ = try asking { () throws(PostgresError) in try connection.run(Schema.creation(shards: shards) + "COMMIT") }
        return (place, .made(shards: shards))
    }

    static func inspect(_ connection: Connection) throws(PostgresError) -> SchemaState {
        let there = try connection.execute(
            Statement("SELECT to_regclass('meta') IS NOT NULL AND to_regclass('shard') IS NOT NULL"))
        guard try there.bool(0, 0) == true else { return SchemaState() }
        var found = SchemaState()
        let rows = try connection.execute(Statement("SELECT key, value FROM meta"))
        for row in 0..<rows.count {
            let key = try rows.text(row, 0)
            if key.map(Schema.draftKeys.contains) == true { found.isDraft = true }
            switch key {
            case Schema.key: found.version = try rows.int64(row, 1)
            case "shards": found.shards = try rows.int64(row, 1)
            case StoreMark.key: found.mark = try rows.int64(row, 1).map(StoreMark.init(number:))
            default: break
            }
        }
        return found
    }
}

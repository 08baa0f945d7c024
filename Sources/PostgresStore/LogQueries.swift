// What the database has of shards: their logs' last numbers, and the versions of their sessions.

import Postgres
import Store

enum LogQueries {
    /// No row where the epoch has passed.
    static let lastLogged = Statement(
        "last_logged",
        """
        SELECT s.id, greatest(0, (SELECT max(seq) FROM log WHERE shard = s.id),
          (SELECT value FROM number WHERE shard = s.id AND key = 'covered'))
        FROM unnest($1::int[], $2::bigint[]) AS b (shard, epoch) JOIN shard s ON s.id = b.shard AND s.epoch = b.epoch
        """)

    static let savedVersions = Statement("saved_versions", "SELECT name, life, version FROM sessions WHERE shard = $1::int")

    static func askLastLogged(_ shards: [Shard], on connection: Connection) throws(PostgresError) -> [Int: Int64] {
        let numbers = BinaryArray(of: .int32)
        for shard in shards { numbers.append(Int32(shard.number)) }
        let rows = try connection.execute(lastLogged, [.array(numbers), .array(BinaryArray(shards.map(\.epoch)))])
        var found: [Int: Int64] = [:]
        for row in 0..<rows.count { found[Int(try rows.int32(row, 0) ?? -1)] = try rows.int64(row, 1) }
        return found
    }

    static func askSavedVersions(_ shard: Shard, on connection: Connection) throws(PostgresError) -> [SavedVersion] {
        let rows = try connection.execute(savedVersions, [.int32(shard)])
        var found: [SavedVersion] = []
        for row in 0..<rows.count {
            guard let name = try rows.text(row, 0), let version = try rows.int64(row, 2) else { continue }
            found.append(SavedVersion(name: name, life: try rows.int64(row, 1), version: version))
        }
        return found
    }
}

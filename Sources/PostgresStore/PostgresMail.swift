// Messages between shards in PostgreSQL. Nodes notify each other with NOTIFY after the commit, so no commit waits for another.

import Postgres
import Store

final class PostgresMail: StoreMessages {
    private let connection: Connection

    /// A notification has less than 8,000 bytes.
    private static let maxNotifiedAtOnce = 1_000

    private static let counting = Statement("count_messages", "SELECT shard, count(*) FROM message GROUP BY shard")
    private static let reading = Statement(
        "read_messages",
        """
        SELECT id, key, body FROM (
          SELECT *, sum(octet_length(body)) OVER (ORDER BY id) - octet_length(body) AS before FROM (
            SELECT id, key, body FROM message WHERE shard = $1::int AND id <> ALL($2::bigint[])
            ORDER BY id LIMIT $3::bigint) AS waiting
          ) AS counted
        WHERE before < \([WaitingMessage].maxBytesAtOnce) ORDER BY id
        """)
    private static let notifying = Statement("tell_of_messages", "SELECT pg_notify('gamed_mail', $1::text)")

    /// A session that has been noted before has trapped once more, in a later state. The message is deleted, and another one sent, by the
    /// shard's owner alone. $1 and $2: the shard and its epoch; $3 to $6: the session's name, life, version and problem, or null; $7 and $8: the
    /// message to delete; $9 to $11: the message to send, or null.
    private static let noting = Statement(
        "leave_note",
        """
        WITH mine AS (SELECT id FROM shard WHERE id = $1::int AND epoch = $2::bigint FOR SHARE),
          taken AS (
            DELETE FROM message USING mine WHERE message.shard = mine.id AND message.id = $7::bigint AND message.key = $8::bigint
            RETURNING 1),
          posted AS (
            INSERT INTO message (shard, key, body) SELECT $9::int, $10::bigint, $11::bytea FROM taken WHERE $9::int IS NOT NULL)
        INSERT INTO trapped (shard, name, life, version, problem)
        SELECT $1::int, $3::text, $4::bigint, $5::bigint, $6::text WHERE $3::text IS NOT NULL
        ON CONFLICT (shard, name) DO UPDATE SET life = excluded.life, version = excluded.version, problem = excluded.problem
        """)

    init(_ address: String, _ interrupter: Interrupter) throws(StoreError) {
        connection = try asking { () throws(PostgresError) in
            let connection = try Connection(address, name: "gamed mail", interrupter: interrupter)
            try connection.run("LISTEN gamed_mail; \(PlannerSettings.byIndex); SET synchronous_commit = off")
            try connection.prepare([Self.counting, Self.reading, Self.notifying, Self.noting])
            return connection
        }
    }

    func counts() throws(StoreError) -> [Int: Int] {
        try asking { () throws(PostgresError) in
            let rows = try connection.execute(Self.counting)
            var counts: [Int: Int] = [:]
            for row in 0..<rows.count { counts[Int(try rows.int64(row, 0) ?? 0)] = Int(try rows.int64(row, 1) ?? 0) }
            return counts
        }
    }

    func read(_ shard: Int, without known: [Int64], atMost limit: Int) throws(StoreError) -> [WaitingMessage] {
        try asking { () throws(PostgresError) in
            let rows = try connection.execute(
                Self.reading, [.int32(Int32(shard)), .array(BinaryArray(known)), .int64(Int64(limit))])
            var messages: [WaitingMessage] = []
            for row in 0..<rows.count {
                guard let number = try rows.int64(row, 0), let key = try rows.int64(row, 1), let body = try rows.bytes(row, 2)
                else { continue }
                messages.append(WaitingMessage(MessageID(number, key: key), Array(body)))
            }
            return messages
        }
    }

    func announceMessages(for shards: Set<Int>) throws(StoreError) {
        let all = shards.sorted()
        for first in stride(from: 0, to: all.count, by: Self.maxNotifiedAtOnce) {
            let some = all[first..<min(first + Self.maxNotifiedAtOnce, all.count)].map { "\($0)" }.joined(separator: " ")
            try asking { () throws(PostgresError) in try connection.execute(Self.notifying, [.text(some)]) }
        }
    }

    func leave(_ note: TrapNote) throws(StoreError) {
        let session = note.session
        let body = note.posted?.body ?? []
        try body.span.withUnsafeBytes { body throws(StoreError) in
            _ = try asking { () throws(PostgresError) in
                try connection.execute(
                    Self.noting,
                    [
                        .int32(note.shard), .int64(note.shard.epoch), session.map { .text($0.name.storable) } ?? .null,
                        session?.life.map { .int64($0) } ?? .null, .int64(session?.version ?? 0),
                        session == nil ? .null : .text(note.problem.storable), note.taken.map { .int64($0.number) } ?? .null,
                        note.taken.map { .int64($0.key) } ?? .null, note.posted.map { .int32(Int32($0.shard)) } ?? .null,
                        note.posted.map { .int64($0.key) } ?? .null, note.posted == nil ? .null : .bytes(body),
                    ])
            }
        }
    }

    func waitForMessages(orUntil waker: Int32, atMost milliseconds: Int32) throws(StoreError) -> Set<Int> {
        let lists = try asking { () throws(PostgresError) in
            try connection.notifications(until: Deadline(inMilliseconds: milliseconds), orReadable: waker)
        }
        return Set(lists.flatMap { $0.split(separator: " ") }.compactMap { Int($0) })
    }

    func close() { connection.close() }
}

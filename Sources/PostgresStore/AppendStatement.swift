// The statement that appends to logs of shards, and its values.

import Postgres
import Store

final class AppendStatement {
    typealias Places = [(shard: Int, number: Int64)]

    // Refilled for each commit.
    private let shards = BinaryArray(of: .int32)
    private let epochs = BinaryArray(of: .int64)
    private let numbers = BinaryArray(of: .int64)
    private let bytes = BinaryArray(of: .bytes)
    private let checksums = BinaryArray(of: .int64)
    private let shardsBefore = BinaryArray(of: .int32)
    private let numbersBefore = BinaryArray(of: .int64)
    private let mail = MailArrays()

    static let all = [append, appendWithMail]

    /// Reads the rows of shards that still have the given epoch FOR SHARE: a take-over waits for the commit, or the commit finds another epoch.
    /// Anything weaker lets a stale commit pass a take-over. $6 and $7 are rows of the commit before, which was in flight when this one was sent. If
    /// any of them is missing, nothing is appended, and -1 is returned. The other numbers returned are the refused shards.
    private static let append = Statement("append", appending(others: ""))

    /// The same with messages: those of the sessions in shards that have not refused, in order, and those to such shards that are taken.
    private static let appendWithMail = Statement(
        "append_with_mail",
        appending(
            others: """
                ,
                posted AS (
                  INSERT INTO message (shard, key, body) SELECT m.shard, m.key, m.body
                  FROM unnest($8::int[], $9::int[], $10::bigint[], $11::bytea[]) WITH ORDINALITY AS m (sender, shard, key, body, place)
                  JOIN mine ON mine.id = m.sender ORDER BY m.place),
                taken AS (
                  DELETE FROM message WHERE ctid = ANY (ARRAY(
                    SELECT m.ctid FROM unnest($12::int[], $13::bigint[], $14::bigint[]) AS t (shard, id, key)
                    JOIN mine ON mine.id = t.shard CROSS JOIN LATERAL (
                      SELECT ctid FROM message WHERE shard = t.shard AND id = t.id AND key = t.key LIMIT 1) AS m)))
                """))

    /// Rows of tables that grow are looked up one by one (LATERAL with a LIMIT cannot be turned into a join): a join that was planned while
    /// `log` was empty reads all of its index for each commit.
    private static func appending(others: String) -> String {
        """
        WITH guard AS (SELECT $6::int[] IS NULL OR EXISTS (
            SELECT FROM unnest($6::int[], $7::bigint[]) AS before (shard, seq)
            CROSS JOIN LATERAL (SELECT FROM log WHERE shard = before.shard AND seq = before.seq LIMIT 1) AS row) AS holds),
          mine AS (
            SELECT s.id FROM unnest($1::int[], $2::bigint[]) AS b (shard, epoch) JOIN shard s ON s.id = b.shard AND s.epoch = b.epoch
            WHERE (SELECT holds FROM guard) ORDER BY s.id FOR SHARE OF s),
          put AS (
            INSERT INTO log (shard, epoch, seq, batch, checksum)
            SELECT b.shard, b.epoch, b.seq, b.batch, b.checksum
            FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])
              AS b (shard, epoch, seq, batch, checksum) JOIN mine ON mine.id = b.shard RETURNING shard)\(others)
        SELECT -1 FROM guard WHERE NOT holds
        UNION ALL (SELECT unnest($1::int[]) EXCEPT SELECT shard FROM put)
        """
    }

    /// `before` are rows of the commit before, if it is in flight.
    func fill(_ batches: [ShardBatch], after before: Places?) -> (Statement, [Parameter]) {
        for array in [shards, epochs, numbers, bytes, checksums, shardsBefore, numbersBefore] { array.removeAll() }
        for batch in batches {
            shards.append(Int32(batch.shard.number))
            epochs.append(batch.shard.epoch)
            numbers.append(batch.number)
            bytes.append(batch.bytes)
            checksums.append(checksum(batch.bytes))
        }
        for place in before ?? [] {
            shardsBefore.append(Int32(place.shard))
            numbersBefore.append(place.number)
        }
        mail.fill(batches)
        return (
            mail.isEmpty ? Self.append : Self.appendWithMail,
            [
                .array(shards), .array(epochs), .array(numbers), .array(bytes), .array(checksums),
                before == nil ? .null : .array(shardsBefore), before == nil ? .null : .array(numbersBefore),
            ] + mail.parameters
        )
    }
}

// MARK: - The messages of a commit as columns

final class MailArrays {
    private let senders = BinaryArray(of: .int32)
    private let receivers = BinaryArray(of: .int32)
    private let keys = BinaryArray(of: .int64)
    private let bodies = BinaryArray(of: .bytes)
    private let takers = BinaryArray(of: .int32)
    private let takenNumbers = BinaryArray(of: .int64)
    private let takenKeys = BinaryArray(of: .int64)

    private var all: [BinaryArray] { [senders, receivers, keys, bodies, takers, takenNumbers, takenKeys] }

    var isEmpty: Bool { senders.count == 0 && takers.count == 0 }

    func fill(_ batches: [ShardBatch]) {
        for array in all where array.count > 0 { array.removeAll() }
        for batch in batches {
            for message in batch.posted {
                senders.append(Int32(batch.shard.number))
                receivers.append(Int32(message.shard))
                keys.append(message.key)
                message.body.withUnsafeBytes { bodies.append($0) }
            }
            for message in batch.taken {
                takers.append(Int32(batch.shard.number))
                takenNumbers.append(message.number)
                takenKeys.append(message.key)
            }
        }
    }

    /// Nothing where there are no messages.
    var parameters: [Parameter] { isEmpty ? [] : all.map { .array($0) } }
}

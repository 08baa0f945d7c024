// Appends to the logs of a node's shards: a commit is one statement, so that no open transaction of a node that was cut off can hold
// a take-over up.

import Postgres
import Store

final class PostgresLog: SharedLog {
    private let interrupter = Interrupter()
    private let connection: Connection
    /// Some rows of each commit under way.
    private var sent: [Places] = []
    // Filled anew for each commit.
    private let shards = BinaryArray(of: .int32)
    private let epochs = BinaryArray(of: .int64)
    private let numbers = BinaryArray(of: .int64)
    private let bytes = BinaryArray(of: .bytes)
    private let shardsBefore = BinaryArray(of: .int32)
    private let numbersBefore = BinaryArray(of: .int64)
    private let mail = MailArrays()

    private typealias Places = [(shard: Int, number: Int64)]
    /// One row that is there says that its commit has happened; of several, not all belong to shards that were lost meanwhile.
    private static let mostPlaces = 8

    /// The rows of shards whose epoch is still the one given, read FOR SHARE: a take-over waits for the commit, or the commit finds another
    /// epoch. Anything weaker lets a stale commit pass a take-over. $5 and $6 are rows of the commit before, which was under way when this
    /// one was sent: without any of them nothing is appended, and -1 says so. The others that come back are the shards that were refused.
    private static let append = Statement("append", appending(others: ""))

    /// The same with messages: those of the sessions in shards that have not refused, in order, and those to such shards that are taken.
    private static let appendWithMail = Statement(
        "append_with_mail",
        appending(
            others: """
                ,
                posted AS (
                  INSERT INTO message (shard, body) SELECT m.shard, m.body
                  FROM unnest($7::int[], $8::int[], $9::bytea[]) WITH ORDINALITY AS m (sender, shard, body, place)
                  JOIN mine ON mine.id = m.sender ORDER BY m.place),
                taken AS (
                  DELETE FROM message WHERE ctid = ANY (ARRAY(
                    SELECT m.ctid FROM unnest($10::int[], $11::bigint[]) AS t (shard, id) JOIN mine ON mine.id = t.shard
                    CROSS JOIN LATERAL (SELECT ctid FROM message WHERE shard = t.shard AND id = t.id LIMIT 1) AS m)))
                """))

    /// Rows of tables that grow are looked up one by one (LATERAL with a LIMIT cannot be turned into a join): a join that was planned while
    /// `log` was empty reads all of its index for each commit.
    private static func appending(others: String) -> String {
        """
        WITH guard AS (SELECT $5::int[] IS NULL OR EXISTS (
            SELECT FROM unnest($5::int[], $6::bigint[]) AS before (shard, seq)
            CROSS JOIN LATERAL (SELECT FROM log WHERE shard = before.shard AND seq = before.seq LIMIT 1) AS row) AS holds),
          mine AS (
            SELECT s.id FROM unnest($1::int[], $2::bigint[]) AS b (shard, epoch) JOIN shard s ON s.id = b.shard AND s.epoch = b.epoch
            WHERE (SELECT holds FROM guard) ORDER BY s.id FOR SHARE OF s),
          put AS (
            INSERT INTO log (shard, epoch, seq, batch)
            SELECT b.shard, b.epoch, b.seq, b.batch FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bytea[])
              AS b (shard, epoch, seq, batch) JOIN mine ON mine.id = b.shard RETURNING shard)\(others)
        SELECT -1 FROM guard WHERE NOT holds
        UNION ALL (SELECT unnest($1::int[]) EXCEPT SELECT shard FROM put)
        """
    }

    init(_ address: String, _ durability: Durability, of node: String, _ timeouts: Timeouts) throws(StoreError) {
        let interrupter = interrupter
        connection = try asking { () throws(PostgresError) in
            let connection = try Connection(
                address, name: SessionName.log(of: node), timeouts: timeouts, interrupter: interrupter)
            let commits = durability == .always ? "on" : "off"
            try connection.run(
                "SET plan_cache_mode = force_generic_plan; \(Planning.byIndex); SET synchronous_commit = \(commits)")
            try connection.prepare([Self.append, Self.appendWithMail])
            return connection
        }
    }

    var underWay: Int { sent.count }

    func send(_ batches: [ShardBatch]) throws(StoreError) {
        precondition(!batches.isEmpty, "a commit has rows")
        let before = sent.last
        sent.append(batches.prefix(Self.mostPlaces).map { ($0.shard.number, $0.number) })
        do throws(StoreError) {
            try put(batches, after: before)
        } catch {
            // This one was not sent, or not whole. Of the one before nobody knows any more.
            throw before == nil ? error : StoreError(.unknown, error.description)
        }
    }

    private func put(_ batches: [ShardBatch], after before: Places?) throws(StoreError) {
        for array in [shards, epochs, numbers, bytes, shardsBefore, numbersBefore] { array.removeAll() }
        for batch in batches {
            shards.append(Int32(batch.shard.number))
            epochs.append(batch.shard.epoch)
            numbers.append(batch.number)
            bytes.append(batch.bytes)
        }
        for place in before ?? [] {
            shardsBefore.append(Int32(place.shard))
            numbersBefore.append(place.number)
        }
        mail.fill(batches)
        try asking { () throws(PostgresError) in
            try connection.send(
                mail.isEmpty ? Self.append : Self.appendWithMail,
                [
                    .array(shards), .array(epochs), .array(numbers), .array(bytes),
                    before == nil ? .null : .array(shardsBefore), before == nil ? .null : .array(numbersBefore),
                ] + mail.parameters)
            Failpoint.hit("before-commit")
            try connection.sync()
        }
    }

    func outcome(orUntil waker: Int32) throws(StoreError) -> [Int]? {
        let deadline = Deadline(in: connection.timeouts.answer)
        switch connection.wait(until: deadline, orReadable: waker) {
        case .readable: return nil
        case .lost(let reason): throw StoreError(reason)
        case .answer, .notification, .deadline: break
        }
        return try asking { () throws(PostgresError) in try takeOutcome(until: deadline) }
    }

    private func takeOutcome(until deadline: Deadline) throws(PostgresError) -> [Int] {
        var refused: [Int] = []
        var failure: PostgresError?
        switch connection.next(until: deadline) {
        case .done(let rows): for row in 0..<rows.count { refused.append(Int(try rows.int32(row, 0) ?? 0)) }
        case .failed(let error): failure = error
        case .synced: break
        }
        if case .failed(let error) = connection.next(until: deadline) { failure = failure ?? error }
        if let failure { throw failure }
        guard !refused.contains(-1) else {
            throw PostgresError(.refused, "the commit before was refused, and this one was to come after it")
        }
        Failpoint.hit("after-commit")
        sent.removeFirst()
        return refused
    }

    func wait(until waker: Int32) throws(StoreError) {
        while true {
            switch connection.wait(until: Deadline(in: .seconds(3_600)), orReadable: waker) {
            case .readable: return
            case .notification, .deadline: break
            case .lost(let reason): throw StoreError(reason)
            case .answer: throw StoreError(.failed, "the database has ended the connection")
            }
        }
    }

    func cancel() { interrupter.interrupt() }

    func close() { connection.close() }
}

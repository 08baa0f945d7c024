// Statements on the tables. Rows go in as arrays, so that thousands are one statement.

import Postgres
import Store

enum TableStatements {
    /// Milliseconds as a time. Values outside the calendar are clamped: one such row must not hold up all others.
    static func time(_ milliseconds: String) -> String {
        "to_timestamp(least(greatest(\(milliseconds), \(Int64.calendar.lowerBound)), \(Int64.calendar.upperBound)) / 1000.0)"
    }

    /// Rolls back the transaction of a node that has lost the shard: the division by zero ends it.
    static let fence = Statement(
        "fence", "SELECT 1 / count(*) FROM (SELECT FROM shard WHERE id = $1::int AND epoch = $2::bigint FOR SHARE) AS mine")

    /// In this transaction alone.
    static let commitDurably = Statement("commit_durably", "SELECT set_config('synchronous_commit', $1::text, true)")

    static let drop = Statement("drop", "DELETE FROM sessions WHERE name = ANY($1::text[])")

    static let upsertSessions = Statement(
        "put_sessions",
        """
        INSERT INTO sessions (
          shard, name, flow, state, data, timers, version, since, saved, paused, problem, life, waiting, context, quarantined, seq,
          checksum)
        SELECT $1::int, name, flow, state, data::json, timers::json, version, \(time("since")), saved, paused, problem, life,
          waiting::json, context::json, quarantined, seq, checksum
        FROM unnest(
          $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::bigint[],
          $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bool[], $17::bool[])
          AS row (name, flow, state, data, timers, problem, waiting, context, version, since, saved, life, seq, checksum, paused,
            quarantined)
        ON CONFLICT (name) DO UPDATE SET (
          shard, flow, state, data, timers, version, since, saved, paused, problem, life, waiting, context, quarantined, seq, checksum) = (
          excluded.shard, excluded.flow, excluded.state, excluded.data, excluded.timers, excluded.version, excluded.since,
          excluded.saved, excluded.paused, excluded.problem, excluded.life, excluded.waiting, excluded.context,
          excluded.quarantined, excluded.seq, excluded.checksum)
        """)

    static let upsertHistory = Statement(
        "put_history",
        """
        INSERT INTO history_blocks (shard, first, last, count, checksum, names, entries)
        SELECT $1::int, first, last, count, checksum, names::json, entries::json
        FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
          AS row (first, last, count, checksum, names, entries)
        ON CONFLICT (shard, first) DO NOTHING
        """)

    static let upsertRepeats = Statement(
        "put_repeats",
        """
        INSERT INTO history_repeats (shard, serial, times, last_at, last_seq, last_version, checksum)
        SELECT $1::int, serial, times, \(time("last_at")), last_seq, last_version, checksum
        FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
          AS row (serial, times, last_at, last_seq, last_version, checksum)
        ON CONFLICT (shard, serial) DO UPDATE SET (times, last_at, last_seq, last_version, checksum) = (
          excluded.times, excluded.last_at, excluded.last_seq, excluded.last_version, excluded.checksum)
        """)

    static let remember = Statement(
        "remember",
        """
        INSERT INTO number (shard, key, value) VALUES ($1::int, $2::text, $3::bigint)
        ON CONFLICT (shard, key) DO UPDATE SET value = excluded.value
        """)

    static let trim = Statement("trim", "DELETE FROM log WHERE shard = $1::int AND seq <= $2::bigint")

    /// How many entries the blocks after each one have.
    private static let counted =
        "SELECT *, sum(count) OVER (ORDER BY first DESC) - count AS newer FROM history_blocks WHERE shard = $1::int"

    static let prune = Statement(
        "prune",
        """
        DELETE FROM history_blocks WHERE shard = $1::int
          AND first <= (SELECT max(first) FROM (\(counted)) AS block WHERE newer >= $2::bigint)
        """)

    static let pruneRepeats = Statement(
        "prune_repeats",
        """
        DELETE FROM history_repeats WHERE shard = $1::int
          AND serial < (SELECT min(first) FROM history_blocks WHERE shard = $1::int)
        """)

    /// Quarantines sessions that ended a node with a trap, unless they have recovered since.
    static let quarantine = Statement(
        "quarantine",
        """
        WITH noted AS (
          DELETE FROM trapped USING shard WHERE shard.id = $1::int AND shard.epoch = $2::bigint AND trapped.shard = $1::int
          RETURNING trapped.name, trapped.life, trapped.version, trapped.problem)
        UPDATE sessions SET quarantined = true, problem = noted.problem FROM noted
        WHERE sessions.name = noted.name AND sessions.shard = $1::int AND sessions.version <= noted.version
          AND coalesce(sessions.life = noted.life, true)
        """)

    /// No row where the epoch has passed.
    static let summary = Statement(
        "summary",
        """
        SELECT greatest((SELECT max(seq) FROM log WHERE shard = $1::int), (SELECT value FROM number WHERE shard = $1::int AND key = 'covered')),
          (SELECT value FROM number WHERE shard = $1::int AND key = 'lives'),
          (SELECT max(last) + 1 FROM history_blocks WHERE shard = $1::int)
        FROM shard WHERE id = $1::int AND epoch = $2::bigint
        """)

    static let log = Statement("log", "SELECT seq, batch, checksum FROM log WHERE shard = $1::int ORDER BY seq")

    static let sessions = Statement(
        "sessions",
        """
        SELECT name, flow, state, data::text, timers::text, version, (extract(epoch FROM since) * 1000)::bigint, saved, paused, problem,
          life, waiting::text, context::text, quarantined, seq, checksum
        FROM sessions WHERE shard = $1::int
        """)

    static let newestEntry = Statement("newest_entry", "SELECT max(last) FROM history_blocks WHERE shard = $1::int")

    /// The rows of `history_repeats` of a block, as numbers between commas, with nothing for a checksum that is null; null if there are none.
    private static let repeats = """
        (SELECT string_agg(concat_ws(',', serial, times, (extract(epoch FROM last_at) * 1000)::bigint, last_seq, last_version,
              coalesce(checksum::text, '')), ','
            ORDER BY serial)
          FROM history_repeats AS repeats
          WHERE repeats.shard = block.shard AND repeats.serial BETWEEN block.first AND block.last)
        """

    static let history = Statement(
        "history",
        """
        SELECT first, last, count, names::text, entries::text, checksum, \(repeats)
        FROM (\(counted)) AS block WHERE newer < $2::bigint ORDER BY first
        """)

    /// Of all shards. Serial numbers order a shard's blocks, and times those of several: a clock that was set back changes no session's
    /// order.
    static let allHistory = Statement(
        "all_history",
        """
        SELECT first, last, count, names::text, entries::text, checksum, \(repeats), shard::bigint
        FROM (SELECT *, max((entries -> 0 ->> \(HistoryColumn.at.place))::bigint) OVER (PARTITION BY shard ORDER BY first) AS latest
          FROM history_blocks) AS block
        ORDER BY latest, shard, first
        """)

    static let all = [
        fence, commitDurably, drop, upsertSessions, upsertHistory, upsertRepeats, remember, trim, prune, pruneRepeats,
        quarantine, summary, log, sessions, history, newestEntry,
    ]
}

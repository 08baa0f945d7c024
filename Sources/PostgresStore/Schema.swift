// The tables, as `--init` makes them.

import Store

enum Schema {
    /// The format of the tables. A newer program upgrades older ones; an older program refuses newer ones.
    static let version: Int64 = 1
    /// Its key in the table `meta`. It changes with each format before the first release.
    static let key = "database_format"
    /// Earlier names of the key.
    static let draftKeys: Set = ["schema", "format", "version", "table_format", "tables", "tables_format", "format_of_tables"]

    /// A state of many states at once is longer than an index takes: its beginning is what people look for.
    private static func indexed(_ column: String) -> String { "left(\(column), 200)" }

    /// Of the view that shows each entry of the history.
    private static let columns = HistoryColumn.allCases.map { column in
        let value = "entry ->> \(column.place)"
        let shown =
            switch column.content {
            case .number: "(\(value))::bigint"
            case .time: "CASE WHEN \(value) IS NOT NULL THEN \(TableStatements.time("(\(value))::bigint")) END"
            case .text: value
            case .name: "names ->> (\(value))::int"
            }
        return "\(shown) AS \(column.rawValue)"
    }.joined(separator: ", ")

    /// The number of shards cannot change: a session's shard follows from its name.
    static func creation(shards: Int) -> String { ownership(shards: shards) + "\n" + logs + "\n" + tables + "\n" }

    private static func ownership(shards: Int) -> String {
        """
        CREATE TABLE meta (key text PRIMARY KEY, value bigint NOT NULL);
        INSERT INTO meta VALUES ('\(key)', \(version)), ('shards', \(shards));

        CREATE TABLE cluster (version bigint NOT NULL, rewinds bigint NOT NULL DEFAULT 0);
        INSERT INTO cluster VALUES (0);
        CREATE TABLE node (
          incarnation bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL, attempt integer NOT NULL,
          host text NOT NULL, port integer NOT NULL, lease_until timestamptz NOT NULL,
          renewals bigint NOT NULL DEFAULT 0, standing json NOT NULL, ended timestamptz, changed bigint NOT NULL) WITH (fillfactor = 50);
        CREATE TABLE shard (
          id integer PRIMARY KEY, epoch bigint NOT NULL DEFAULT 0, owner bigint, changed bigint NOT NULL DEFAULT 0)
          WITH (fillfactor = 50);
        INSERT INTO shard SELECT generate_series(0, \(shards - 1));
        CREATE TABLE number (
          shard integer NOT NULL, key text NOT NULL, value bigint NOT NULL, PRIMARY KEY (shard, key)) WITH (fillfactor = 50);
        """
    }

    /// The log keeps the pages that it has had, since to put a row into a new page takes more than twice as long as into one that is free again.
    private static let logs = """
        CREATE TABLE log (
          shard integer NOT NULL, epoch bigint NOT NULL, seq bigint NOT NULL, batch bytea NOT NULL,
          checksum bigint NOT NULL, PRIMARY KEY (shard, seq))
          WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
                autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000,
                toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 20000,
                vacuum_truncate = false, toast.vacuum_truncate = false);
        ALTER TABLE log ALTER COLUMN batch SET STORAGE EXTERNAL;

        CREATE TABLE message (
          shard integer NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY, body bytea NOT NULL, PRIMARY KEY (shard, id))
          WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
                autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000,
                toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000);

        CREATE TABLE trapped (
          shard integer NOT NULL, name text COLLATE "C" NOT NULL, life bigint, version bigint NOT NULL, problem text NOT NULL,
          PRIMARY KEY (shard, name));
        """

    private static let tables = """
        CREATE TABLE sessions (
          name text COLLATE "C" PRIMARY KEY, shard integer NOT NULL, flow text NOT NULL, state text NOT NULL,
          data json NOT NULL, timers json NOT NULL, version bigint NOT NULL, since timestamptz NOT NULL,
          saved bigint NOT NULL, paused boolean NOT NULL, problem text, life bigint NOT NULL, waiting json, context json,
          quarantined boolean NOT NULL DEFAULT false, seq bigint NOT NULL, checksum bigint)
          WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
        CREATE INDEX sessions_of_shard ON sessions (shard);
        CREATE INDEX sessions_by_flow ON sessions (\(indexed("flow")), \(indexed("state")));
        CREATE INDEX sessions_by_time ON sessions (since);
        CREATE TABLE history_blocks (
          shard integer NOT NULL, first bigint NOT NULL, last bigint NOT NULL, count bigint NOT NULL, names json NOT NULL,
          entries json NOT NULL, checksum bigint, PRIMARY KEY (shard, first))
          WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
        ALTER TABLE history_blocks ALTER COLUMN entries SET STORAGE EXTERNAL;
        CREATE TABLE history_repeats (
          shard integer NOT NULL, serial bigint NOT NULL, times bigint NOT NULL, last_at timestamptz NOT NULL,
          last_seq bigint NOT NULL, last_version bigint NOT NULL, checksum bigint, PRIMARY KEY (shard, serial))
          WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
        CREATE VIEW history AS
        SELECT block.shard, \(columns), coalesce(times, 1) AS times, last_at, last_seq, last_version
        FROM history_blocks AS block CROSS JOIN json_array_elements(entries) AS entry
        LEFT JOIN history_repeats AS repeats
          ON repeats.shard = block.shard AND repeats.serial = (entry ->> \(HistoryColumn.serial.place))::bigint;
        """
}

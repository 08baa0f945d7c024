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
                .damaged, "\(place) has no number of shards: the row 'shards' of its table meta is missing")
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
        let connection = try askingAtStart { () throws(PostgresError) in try Connection(address, timeouts: .setup) }
        defer { connection.close() }
        // Two that do so at once wait for each other.
        try asking { () throws(PostgresError) in
            try connection.run("BEGIN; SELECT pg_advisory_xact_lock(7205759403792794)")
        }
        let place = connection.server
        if let there = try asking({ () throws(PostgresError) in try inspect(connection) }).shards(at: place) {
            guard shards == nil || shards == there else {
                throw StoreError(
                    .unusable,
                    "\(place) has \(there) shards, which cannot be changed; use `--shards \(there)`, or omit it")
            }
            return (place, .found(shards: there))
        }
        try checkEncoding(connection)
        let shards = shards ?? usual
        try asking { () throws(PostgresError) in try connection.run(Schema.creation(shards: shards) + "COMMIT") }
        return (place, .made(shards: shards))
    }

    /// Other encodings lack characters of names and texts: the log would have such sessions, and the tables could not.
    private static func checkEncoding(_ connection: Connection) throws(StoreError) {
        let encoding = try asking { () throws(PostgresError) in
            try connection.execute(Statement("SELECT current_setting('server_encoding')")).text(0, 0) ?? ""
        }
        guard encoding != "UTF8" else { return }
        throw StoreError(
            .unusable,
            "\(connection.server) has the encoding \(encoding), which lacks characters of names and texts; create another database "
                + "with `createdb --encoding UTF8 --template template0`")
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

extension Timeouts {
    /// Many tables may take long on a busy server.
    fileprivate static let setup = Timeouts(
        connect: .seconds(10), statement: .seconds(60), lock: .seconds(60), answer: .seconds(65))
}

// MARK: - The tables, as `--init` makes them.

enum Schema {
    /// The format of the tables. A newer program upgrades older ones; an older program refuses newer ones.
    static let version: Int64 = 1
    /// Its key in the table `meta`. It changes with each format before the first release.
    static let key = "format_of_database"
    /// Earlier names of the key.
    static let draftKeys: Set = [
        "schema", "format", "version", "table_format", "tables", "tables_format", "format_of_tables", "database_format",
    ]

    /// A state of many states at once is longer than an index takes: people search for its beginning.
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
          incarnation bigint PRIMARY KEY, id text NOT NULL, attempt integer NOT NULL,
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
          shard integer NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY, key bigint NOT NULL, body bytea NOT NULL,
          PRIMARY KEY (shard, id))
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

// A node's requests to the registry, in SQL. Their locks are described with the requests (Cluster/Registry/Request.swift).

import Cluster
import Postgres

enum RegistryStatements {
    /// Writers of more than a lease wait for each other here.
    static let lock = Statement("lock", "SELECT version FROM cluster FOR UPDATE")

    static let lockShards = Statement("lock_shards", "SELECT id FROM shard WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE")

    /// Shards of nodes that have ended, or have no row: an operator may have deleted it.
    private static let isOrphan =
        "owner IS NOT NULL AND owner NOT IN (SELECT incarnation FROM node WHERE ended IS NULL)"

    static let lockOrphans = Statement("lock_orphans", "SELECT id FROM shard WHERE \(isOrphan) ORDER BY id FOR UPDATE")

    /// Whether a later attempt of the same process to join is not known.
    private static let isLatest = "NOT EXISTS (SELECT FROM node WHERE id = $1::text AND attempt >= $2::int)"

    /// The version that the transaction makes.
    private static let nextVersion = "(SELECT version + 1 FROM cluster)"

    /// Ends all nodes, or those for which the conditions after it hold.
    static let endingNodes = "UPDATE node SET ended = clock_timestamp(), changed = \(nextVersion) WHERE ended IS NULL"

    static let endNamesakes = Statement("end_namesakes", "\(endingNodes) AND id = $1::text AND \(isLatest)")

    /// Nodes at the address in these two parameters, but for port 0, at which several may be.
    private static func isAt(_ host: String, _ port: String) -> String {
        "(host = \(host)::text AND port = \(port)::int AND port > 0)"
    }

    static let endPredecessor = Statement(
        "end_predecessor",
        "\(endingNodes) AND incarnation = $1::bigint AND \(isAt("$2", "$3")) AND lease_until < clock_timestamp()")

    static let occupant = Statement(
        "occupant",
        """
        SELECT incarnation, (extract(epoch FROM lease_until) * 1000000)::bigint FROM node
        WHERE id <> $1::text AND \(isAt("$2", "$3")) AND ended IS NULL ORDER BY incarnation LIMIT 1
        """)

    /// How many nodes at this address have ended recently without leaving.
    static let deaths = Statement("deaths", "SELECT count(*) FROM node WHERE \(isAt("$1", "$2")) AND \(isDeath)")

    private static let isDeath =
        "ended > clock_timestamp() - interval '10 minutes' AND (standing->>'leaving') IS DISTINCT FROM 'true'"

    /// Keeps the row of an ended node until every node that slept since has seen it.
    static let forgetEnded = Statement(
        "forget_ended",
        """
        DELETE FROM node WHERE ended < clock_timestamp() - interval '1 hour'
          AND NOT EXISTS (SELECT FROM shard WHERE owner = incarnation)
          AND NOT EXISTS (
            SELECT FROM node AS asleep WHERE asleep.ended IS NULL AND asleep.lease_until < node.ended + interval '30 minutes')
        """)

    /// At least the time in seconds: a registry that goes back in time gives no number again that it has given since, and later nodes have higher
    /// ones.
    private static let nextIncarnation = """
        greatest((SELECT max(incarnation) + 1 FROM node), extract(epoch FROM clock_timestamp())::bigint)
        """

    /// `$7` is the state of a node that starts at the address of a dead node. In older databases the column of incarnations is an identity.
    static let join = Statement(
        "join",
        """
        INSERT INTO node (incarnation, id, attempt, host, port, lease_until, standing, changed) OVERRIDING SYSTEM VALUE
        SELECT \(nextIncarnation), $1::text, $2::int, $3::text, $4::int, clock_timestamp() + $6::bigint * interval '1 microsecond',
          CASE WHEN EXISTS (SELECT FROM node WHERE \(isAt("$3", "$4")) AND \(isDeath)) THEN $7::text ELSE $5::text END::json, \(nextVersion)
        WHERE \(isLatest) AND NOT EXISTS (SELECT FROM meta WHERE key = '\(StoreMark.key)') AND NOT EXISTS (
          SELECT FROM node WHERE \(isAt("$3", "$4")) AND id <> $1::text AND ended IS NULL)
        RETURNING incarnation
        """)

    /// No row for an incarnation that has ended.
    static let renew = Statement(
        "renew",
        """
        UPDATE node SET lease_until = clock_timestamp() + $2::bigint * interval '1 microsecond', renewals = renewals + 1
        WHERE incarnation = $1::bigint AND ended IS NULL AND coalesce(id = $3::text, true) RETURNING renewals
        """)

    /// A registry that has gone back in time comes above what a node remembers of it. See `Remembered`.
    static let raiseVersion = Statement(
        "raise_version",
        """
        UPDATE cluster SET version = greatest(version, $1::bigint) + \(Remembered.jump), rewinds = $2::bigint + 1
        WHERE rewinds <= $2::bigint
        """)

    /// By this transaction.
    private static let isRaised = "EXISTS (SELECT FROM cluster WHERE xmin = pg_current_xact_id()::xid)"

    /// By this transaction, or by others since `$1` rewinds.
    private static let isRaisedSince = "EXISTS (SELECT FROM cluster WHERE rewinds > $1::bigint)"

    /// How much these raises have added to each epoch.
    private static let raised = "\(Remembered.jump) * (SELECT rewinds - $1::bigint FROM cluster)"

    /// Nodes before the remembered node `$2`, with its id or at its address.
    static let endOlder = Statement(
        "end_older",
        """
        \(endingNodes) AND \(isRaisedSince) AND incarnation < $2::bigint
          AND (id = $3::text OR \(isAt("$4", "$5")))
        """)

    static let restoreNode = Statement(
        "restore_node",
        """
        INSERT INTO node (incarnation, id, attempt, host, port, lease_until, standing, changed) OVERRIDING SYSTEM VALUE
        SELECT $2::bigint, $3::text, 0, $4::text, $5::int, clock_timestamp() + $6::bigint * interval '1 microsecond', $7::text::json,
          \(nextVersion)
        WHERE \(isRaisedSince) AND NOT EXISTS (
          SELECT FROM node WHERE incarnation = $2::bigint
            OR (\(isAt("$4", "$5")) AND ended IS NULL))
        """)

    static let raiseEpochs = Statement(
        "raise_epochs",
        """
        UPDATE shard SET changed = \(nextVersion),
          epoch = CASE WHEN \(isRaised) THEN greatest(shard.epoch, remembered.epoch) ELSE remembered.epoch END + \(raised),
          owner = CASE WHEN \(isRaised) AND (shard.epoch > remembered.epoch OR shard.epoch = remembered.epoch AND shard.owner IS NOT NULL)
            THEN shard.owner
            ELSE (SELECT incarnation FROM node WHERE incarnation = remembered.owner AND ended IS NULL) END
        FROM unnest($2::int[], $3::bigint[], $4::bigint[]) AS remembered (shard, epoch, owner)
        WHERE shard.id = remembered.shard
          AND (\(isRaised) OR (\(isRaisedSince)
            AND (shard.epoch < remembered.epoch + \(raised) OR shard.epoch = remembered.epoch + \(raised) AND shard.owner IS NULL)))
        """)

    static let publish = Statement(
        "publish",
        """
        UPDATE node SET standing = $2::text::json, changed = \(nextVersion)
        WHERE incarnation = $1::bigint AND ended IS NULL
        """)

    private static let isHere = "EXISTS (SELECT FROM node WHERE incarnation = $1::bigint AND ended IS NULL)"

    static let end = Statement(
        "end", "\(endingNodes) AND incarnation = ANY($2::bigint[]) AND lease_until < clock_timestamp() AND \(isHere)")

    /// A frozen node may have begun a transaction that it does not continue, and no timeout of the server's ends one that waits for the rest of
    /// a pipeline: its locks would hold the take-over up for as long as it is frozen.
    static let endSessions = Statement(
        "end_sessions",
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND usename = current_user AND application_name IN (
          SELECT kind || id FROM node, unnest(ARRAY['\(BackendName.log(of: ""))', '\(BackendName.tables(of: ""))']) AS kind
          WHERE incarnation = ANY($1::bigint[]) AND ended IS NOT NULL)
        """)

    static let leave = Statement("leave", "\(endingNodes) AND incarnation = $1::bigint RETURNING 1")

    /// Each move for itself: where the shard is as expected, its owner asks or has ended, and the next one's lease lasts.
    static let move = Statement(
        "move",
        """
        WITH moved AS (
          UPDATE shard SET owner = m.next, epoch = shard.epoch + 1, changed = \(nextVersion)
          FROM unnest($2::int[], $3::bigint[], $4::bigint[], $5::bigint[]) AS m (shard, epoch, owner, next)
          WHERE shard.id = m.shard AND shard.epoch = m.epoch AND shard.owner IS NOT DISTINCT FROM m.owner AND \(isHere)
            AND (m.owner IS NULL OR m.owner = $1::bigint
              OR EXISTS (SELECT FROM node WHERE incarnation = m.owner AND ended IS NOT NULL))
            AND (m.next IS NULL
              OR EXISTS (SELECT FROM node WHERE incarnation = m.next AND ended IS NULL AND lease_until > clock_timestamp()))
          RETURNING shard.owner)
        SELECT pg_notify('gamed', string_agg(DISTINCT owner::text, ' ')) FROM moved HAVING count(owner) > 0
        """)

    static let tell = Statement("tell", "SELECT pg_notify('gamed', $1::text)")

    /// Takes all shards from their owners, or those for which a condition after it holds.
    static let releasingShards = "UPDATE shard SET owner = NULL, epoch = epoch + 1, changed = \(nextVersion)"

    static let orphan = Statement("orphan", "\(releasingShards) WHERE \(isOrphan)")

    static let count = Statement("count", "UPDATE cluster SET version = version + 1")

    // MARK: News

    static let time = Statement(
        "time", "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, version FROM cluster")

    static let rewinds = Statement("rewinds", "SELECT rewinds FROM cluster")

    static let nodes = Statement(
        "nodes",
        "SELECT incarnation, id, host, port, standing::text, ended IS NOT NULL FROM node WHERE changed > $1::bigint ORDER BY incarnation"
    )

    static let shards = Statement("shards", "SELECT id, owner, epoch FROM shard WHERE changed > $1::bigint ORDER BY id")

    static let lapsing = Statement(
        "lapsing",
        """
        SELECT incarnation, (extract(epoch FROM lease_until - clock_timestamp()) * 1000000)::bigint FROM node
        WHERE ended IS NULL AND lease_until < clock_timestamp() + $1::bigint * interval '1 microsecond'
        """)

    static let all = [
        lock, lockShards, lockOrphans, endNamesakes, endPredecessor, occupant, deaths, forgetEnded, join, renew,
        raiseVersion, endOlder, restoreNode, raiseEpochs, publish, end, endSessions, leave, move, tell,
        orphan, count, time, nodes, shards, lapsing, rewinds,
    ]
}

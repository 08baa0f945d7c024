// A node's figures as one of a cluster, for whoever watches it.

import Timers

package struct ClusterStatistics {
    /// Answers of the database to renewals of the lease, and those that did not come.
    package var renewals = 0
    package var failedRenewals = 0
    /// How often it has begun as a node: more than once where it was taken for dead.
    package var joins = 0
    /// Shards that have come, were handed over, and that others had or that it had lost track of.
    package var taken = 0
    package var given = 0
    package var lost = 0
    /// How long reading a shard took.
    package var loads = DurationHistogram()
    /// How long the lease lasts.
    package var leaseLeft = Duration.zero
    /// How old is what it knows of the cluster; nil if nothing is known.
    package var age: Duration?
    /// How often the database's clock has jumped by more than a second.
    package var clockJumps = 0
    /// How often the database has gone back in time, and how many rows of logs it got again.
    package var rewinds = 0
    package var rewrittenRows = 0
    /// All shards, and those without owner.
    package var shards = 0
    package var unowned = 0
    /// Those of this node, with their epochs, and how many of them are still being read.
    package var owned: [(shard: Int, epoch: Int64)] = []
    package var loading = 0
    /// Changes that are safe in the log, and not in the tables yet from which the next owner reads.
    package var tablesBacklogBytes = 0

    package init() {}
}

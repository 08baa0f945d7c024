// Metrics of a node of a cluster.

import Commands

extension MetricsWriter {
    /// More shards of a node than this have no sample each.
    private static let maxShards = 64

    /// Without a cluster there are none of its figures.
    mutating func addCluster(_ host: Host) {
        guard let cluster = host.cluster else { return }
        let statistics = cluster.statistics
        addNodes(cluster)
        addLease(statistics)
        addShards(statistics)
        metric(
            "gamed_cluster_tables_backlog_bytes", .gauge,
            "Changes in the log that are not yet applied to the database's tables.", statistics.tablesBacklogBytes)
    }

    private mutating func addNodes(_ cluster: any ClusterMember) {
        let peers = cluster.peers
        family("gamed_cluster_node_info", .gauge, "Always 1; which node this is, and where clients find it.")
        sample(1, MetricLabel("node", cluster.name), MetricLabel("address", peers.first(where: \.isMyself)?.address ?? ""))
        family("gamed_cluster_nodes", .gauge, "Nodes known to this node, itself included, by state.")
        for state in ClusterPeer.State.allCases {
            sample(peers.count { $0.state == state }, MetricLabel("state", state.rawValue))
        }
    }

    private mutating func addLease(_ statistics: ClusterStatistics) {
        metric(
            "gamed_cluster_lease_seconds", .gauge,
            "Remaining time of this node's lease; 0 without a lease, when it serves nothing.", statistics.leaseLeft.inSeconds)
        if let age = statistics.age {
            metric("gamed_cluster_view_age_seconds", .gauge, "Age of this node's snapshot of the cluster.", age.inSeconds)
        }
        family("gamed_cluster_renewals_total", .counter, "Cluster queries to the database, by outcome.")
        sample(statistics.renewals, MetricLabel("outcome", "answered"))
        sample(statistics.failedRenewals, MetricLabel("outcome", "failed"))
        metric("gamed_cluster_joins_total", .counter, "Times that this daemon has joined the cluster.", statistics.joins)
        metric(
            "gamed_cluster_clock_jumps_total", .counter,
            "Jumps of the database's clock by more than a second.", statistics.clockJumps)
        metric(
            "gamed_cluster_rewinds_total", .counter,
            "Times that this node found an older state of the database.", statistics.rewinds)
        metric(
            "gamed_cluster_rewritten_rows_total", .counter,
            "Acknowledged log rows that the database had lost and this node wrote again.", statistics.rewrittenRows)
    }

    private mutating func addShards(_ statistics: ClusterStatistics) {
        metric("gamed_cluster_shards", .gauge, "All shards of the cluster.", statistics.shards)
        metric(
            "gamed_cluster_shards_unowned", .gauge, "Shards without an owner, as far as this node knows.", statistics.unowned)
        metric("gamed_cluster_shards_owned", .gauge, "Shards that this node owns.", statistics.owned.count)
        metric(
            "gamed_cluster_shards_loading", .gauge, "Owned shards that it still loads and does not serve.", statistics.loading)
        family("gamed_cluster_shard_moves_total", .counter, "Shards taken over, handed over, and lost.")
        for (kind, count) in [("taken", statistics.taken), ("given", statistics.given), ("lost", statistics.lost)] {
            sample(count, MetricLabel("kind", kind))
        }
        metric("gamed_cluster_shard_loading_seconds", "Time to load a shard that was taken over.", statistics.loads)
        family("gamed_cluster_shard_epoch", .gauge, "The epoch of each shard that this node owns, if they are few.")
        guard statistics.owned.count <= Self.maxShards else { return }
        for (shard, epoch) in statistics.owned { sample(epoch, MetricLabel("shard", "\(shard)")) }
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

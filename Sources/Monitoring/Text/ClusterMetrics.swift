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
        family(
            "gamed_cluster_tables_backlog_bytes", .gauge, "Changes that are in the log, and not in the database's tables yet.")
        sample(statistics.tablesBacklogBytes)
    }

    private mutating func addNodes(_ cluster: any ClusterMember) {
        let peers = cluster.peers
        family("gamed_cluster_node_info", .gauge, "Always 1; which node this is, and where clients find it.")
        sample(1, MetricLabel("node", cluster.name), MetricLabel("address", peers.first(where: \.isMyself)?.address ?? ""))
        family("gamed_cluster_nodes", .gauge, "Nodes that this one knows, itself among them, by how they are.")
        for state in ClusterPeer.State.allCases {
            sample(peers.count { $0.state == state }, MetricLabel("state", state.rawValue))
        }
    }

    private mutating func addLease(_ statistics: ClusterStatistics) {
        family(
            "gamed_cluster_lease_seconds", .gauge, "How long this node's lease lasts; 0 without one, when it serves nothing.")
        sample(statistics.leaseLeft.inSeconds)
        if let age = statistics.age {
            family("gamed_cluster_view_age_seconds", .gauge, "How old is what this node knows of the cluster.")
            sample(age.inSeconds)
        }
        family("gamed_cluster_renewals_total", .counter, "Questions to the database about the cluster, by whether it answered.")
        sample(statistics.renewals, MetricLabel("outcome", "answered"))
        sample(statistics.failedRenewals, MetricLabel("outcome", "failed"))
        family("gamed_cluster_joins_total", .counter, "How often this daemon has begun as a node.")
        sample(statistics.joins)
        family("gamed_cluster_clock_jumps_total", .counter, "How often the database's clock has jumped by more than a second.")
        sample(statistics.clockJumps)
        family("gamed_cluster_rewinds_total", .counter, "How often this node has found that the database went back in time.")
        sample(statistics.rewinds)
        family(
            "gamed_cluster_rewritten_rows_total", .counter,
            "Rows of logs that the database had acknowledged, had lost, and got again.")
        sample(statistics.rewrittenRows)
    }

    private mutating func addShards(_ statistics: ClusterStatistics) {
        family("gamed_cluster_shards", .gauge, "All shards of the cluster.")
        sample(statistics.shards)
        family("gamed_cluster_shards_unowned", .gauge, "Shards that no node has, as far as this one knows.")
        sample(statistics.unowned)
        family("gamed_cluster_shards_owned", .gauge, "Shards that this node has.")
        sample(statistics.owned.count)
        family("gamed_cluster_shards_loading", .gauge, "Those of them that it still reads, and does not serve.")
        sample(statistics.loading)
        family("gamed_cluster_shard_moves_total", .counter, "Shards that came, were handed over, and were lost.")
        for (kind, count) in [("taken", statistics.taken), ("given", statistics.given), ("lost", statistics.lost)] {
            sample(count, MetricLabel("kind", kind))
        }
        family("gamed_cluster_shard_loading_seconds", .histogram, "How long it took to read a shard that came.")
        sample(statistics.loads)
        family("gamed_cluster_shard_epoch", .gauge, "The epoch of each shard that this node has, where they are few.")
        guard statistics.owned.count <= Self.maxShards else { return }
        for (shard, epoch) in statistics.owned { sample(epoch, MetricLabel("shard", "\(shard)")) }
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

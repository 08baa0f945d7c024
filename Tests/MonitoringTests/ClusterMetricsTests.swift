// The cluster metrics in a node's GET /metrics.

import BuiltInFlows
import GameFlow
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import GameDaemon

@Suite struct `The metrics of a node` {
    private let node = StubClusterMember()
    private let daemon: MonitoredDaemon

    init() throws {
        daemon = try MonitoredDaemon([.flow(Turns.self)])
        daemon.daemon.host.cluster = node
    }

    @Test func `A node's metrics include its name, peers, shards, lease and renewals`() throws {
        node.statistics.owned = [(shard: 3, epoch: 7), (shard: 200, epoch: 9)]
        (node.statistics.leaseLeft, node.statistics.age) = (.milliseconds(2_500), .milliseconds(400))
        (node.statistics.taken, node.statistics.given, node.statistics.lost) = (5, 2, 1)
        (node.statistics.renewals, node.statistics.failedRenewals) = (12, 3)
        node.statistics.clockJumps = 2
        (node.statistics.rewinds, node.statistics.rewrittenRows) = (1, 7)
        (node.statistics.shards, node.statistics.unowned) = (256, 4)
        let metrics = try daemon.readMetrics()
        #expect(metrics.value("gamed_cluster_node_info", ["node": node.name, "address": "venue-0:7654"]) == 1)
        #expect(metrics.value("gamed_cluster_nodes", ["state": "here"]) == 2)
        #expect(metrics.value("gamed_cluster_nodes", ["state": "silent"]) == 1)
        #expect(metrics.value("gamed_cluster_shards_owned") == 2 && metrics.value("gamed_cluster_shards_unowned") == 4)
        #expect(metrics.value("gamed_cluster_shard_epoch", ["shard": "200"]) == 9)
        #expect(metrics.value("gamed_cluster_lease_seconds") == 2.5 && metrics.value("gamed_cluster_view_age_seconds") == 0.4)
        #expect(metrics.value("gamed_cluster_shard_moves_total", ["kind": "lost"]) == 1)
        #expect(metrics.value("gamed_cluster_renewals_total", ["outcome": "failed"]) == 3)
        #expect(metrics.value("gamed_cluster_clock_jumps_total") == 2)
        #expect(metrics.value("gamed_cluster_rewinds_total") == 1 && metrics.value("gamed_cluster_rewritten_rows_total") == 7)
        try PromTool.check(metrics: String(decoding: daemon.metrics.gather(), as: UTF8.self))
    }

    @Test func `A node's metrics have a sample per shard up to 64 shards, and none above`() throws {
        for (count, samples) in [(64, 64), (65, 0)] {
            node.statistics.owned = (0..<count).map { (shard: $0, epoch: 1) }
            let metrics = try daemon.readMetrics()
            #expect(metrics.values("gamed_cluster_shard_epoch").count == samples)
            #expect(metrics.value("gamed_cluster_shards_owned") == Double(count))
        }
    }

    @Test func `A daemon without a cluster has no cluster metrics`() throws {
        daemon.daemon.host.cluster = nil
        #expect(try daemon.readMetrics().names.allSatisfy { !$0.hasPrefix("gamed_cluster_") })
    }
}

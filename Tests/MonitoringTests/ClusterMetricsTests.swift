// The cluster metrics in a node's GET /metrics.

import BuiltInFlows
import GameFlow
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import GameDaemon

@Suite struct `The metrics of a node` {
    private let node = OneOfThree()
    private let daemon: MonitoredDaemon

    init() throws {
        daemon = try MonitoredDaemon([.flow(Turns.self)])
        daemon.daemon.host.cluster = node
    }

    @Test func `A node's metrics include its name, peers, shards, lease and renewals`() throws {
        node.figures.owned = [(shard: 3, epoch: 7), (shard: 200, epoch: 9)]
        (node.figures.leaseLeft, node.figures.age) = (.milliseconds(2_500), .milliseconds(400))
        (node.figures.taken, node.figures.given, node.figures.lost) = (5, 2, 1)
        (node.figures.renewals, node.figures.failedRenewals) = (12, 3)
        node.figures.clockJumps = 2
        (node.figures.rewinds, node.figures.rewrittenRows) = (1, 7)
        (node.figures.shards, node.figures.unowned) = (256, 4)
        let figures = try daemon.figures()
        #expect(figures.value("gamed_cluster_node_info", ["node": node.name, "address": "venue-0:7654"]) == 1)
        #expect(figures.value("gamed_cluster_nodes", ["state": "here"]) == 2)
        #expect(figures.value("gamed_cluster_nodes", ["state": "silent"]) == 1)
        #expect(figures.value("gamed_cluster_shards_owned") == 2 && figures.value("gamed_cluster_shards_unowned") == 4)
        #expect(figures.value("gamed_cluster_shard_epoch", ["shard": "200"]) == 9)
        #expect(figures.value("gamed_cluster_lease_seconds") == 2.5 && figures.value("gamed_cluster_view_age_seconds") == 0.4)
        #expect(figures.value("gamed_cluster_shard_moves_total", ["kind": "lost"]) == 1)
        #expect(figures.value("gamed_cluster_renewals_total", ["outcome": "failed"]) == 3)
        #expect(figures.value("gamed_cluster_clock_jumps_total") == 2)
        #expect(figures.value("gamed_cluster_rewinds_total") == 1 && figures.value("gamed_cluster_rewritten_rows_total") == 7)
        try PromTool.check(metrics: String(decoding: daemon.metrics.gather(), as: UTF8.self))
    }

    @Test func `A node's metrics have a sample per shard up to 64 shards, and none above`() throws {
        for (count, samples) in [(64, 64), (65, 0)] {
            node.figures.owned = (0..<count).map { (shard: $0, epoch: 1) }
            let figures = try daemon.figures()
            #expect(figures.values("gamed_cluster_shard_epoch").count == samples)
            #expect(figures.value("gamed_cluster_shards_owned") == Double(count))
        }
    }

    @Test func `A daemon without a cluster has no cluster metrics`() throws {
        daemon.daemon.host.cluster = nil
        #expect(try daemon.figures().names.allSatisfy { !$0.hasPrefix("gamed_cluster_") })
    }
}

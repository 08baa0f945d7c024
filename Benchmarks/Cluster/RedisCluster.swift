// Redis Cluster with nodes that write each command to their files before they reply.

import Foundation
import TestSupport

final class RedisCluster {
    let nodes: [ClusterPeer]

    init(in folder: BenchmarkFolder, count: Int) throws {
        nodes = try (0..<count).map { number in
            let port = try freePort()
            let options = ["--appendonly", "yes", "--appendfsync", "always", "--cluster-enabled", "yes"]
            return ClusterPeer(peer: try folder.redis(options, port: port, as: "redis-\(number)"), port: port)
        }
        let addresses = nodes.map { "127.0.0.1:\($0.port)" }
        let made = try run("redis-cli", ["--cluster", "create"] + addresses + ["--cluster-yes"])
        guard made.status == 0 else { throw BenchmarkError("redis-cli --cluster create fails: \(made.output)") }
        let isWhole = {
            self.nodes.allSatisfy {
                PipelinedClient($0.peer.socketPath)?.text(["CLUSTER", "INFO"]).contains("cluster_state:ok") ?? false
            }
        }
        guard eventually(isWhole) else { throw BenchmarkError("Redis Cluster is not whole after two minutes") }
    }
}

// `gamectl cluster`: the nodes of a cluster, and what each of them has.

import Client
import RESP
import Texts

extension Subcommand {
    static let cluster = Subcommand(
        .daemon, syntax: "cluster", summary: "Shows the nodes of a cluster, their shards and leases, and the latest moves.",
        details: """
            Sessions are distributed over shards, and one node owns each shard. Its epoch grows with each move. The output \
            is the latest snapshot of the connected node. A silent node has not renewed its lease: when the lease expires, \
            the other nodes take over its shards.
            """,
        examples: ["gamectl cluster", "gamectl --json cluster"], words: 0...0
    ) { context, call throws(ControlError) in
        guard let reply = try context.daemon.clusterStatus() else {
            let problem = "the daemon at \(context.daemon.address) is not a node of a cluster, because it runs without --store"
            let advice = "start each node with the same database: gamed --store postgres://gamed@db/gamed (docs/CLUSTER.md)"
            throw .refused(code: .generic, sentence: "\(problem); \(advice)")
        }
        try context.output.write(json: reply.json, lines: ClusterText(reply, style: context.output.style).lines)
        return .accepted
    }
}

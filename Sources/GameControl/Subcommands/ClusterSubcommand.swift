// `gamectl cluster`: the nodes of a cluster, and what each of them has.

import Client
import RESP

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
        let reply = try context.daemon.askHere(["CLUSTER", "STATUS"])
        try context.output.write(json: reply.json, lines: ClusterText(reply, style: context.output.style).lines)
        return .accepted
    }
}

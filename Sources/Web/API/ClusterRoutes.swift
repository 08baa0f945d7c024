// The cluster that this daemon is a node of.

import Commands
import GameFlow

extension Route {
    static let cluster: [Route] = [
        Route(
            .get, "/api/cluster",
            "The cluster as this node sees it: nodes, shards, its lease and the latest moves; null where it is alone.",
            needs: .reads(.ownSessions), answer: "Cluster"
        ) { call in call.answer(["cluster": call.host.cluster?.json(isBrief: false) ?? .null]) }
    ]
}

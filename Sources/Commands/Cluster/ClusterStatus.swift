// CLUSTER STATUS: the cluster as people want to see it, for gamectl.

import Cluster
import RESP

struct ClusterStatus: ReplyValue {
    let member: any ClusterMember

    func write(to reply: ReplyBuffer) {
        let (report, peers) = (member.report, member.peers)
        var map = reply.beginMap()
        map.field("id", member.name)
        map.field("address", peers.first(where: \.isMyself)?.address)
        map.field("state", member.failure == nil ? "ok" : "fail")
        map.field("failure", member.failure)
        map.field("lease_ms", report.leaseMilliseconds)
        map.field("age_ms", report.ageMilliseconds)
        map.field("shards", report.shards)
        map.field("loading", report.loading)
        map.field("unowned", report.unowned.map(\.text).joined(separator: " "))
        map.field("missing_flows", report.missingFlows)
        map.key("differing_flows")
        reply.append(arrayOf: report.differingFlows.count)
        for flow in report.differingFlows { write(flow, to: reply) }
        map.key("nodes")
        reply.append(arrayOf: peers.count)
        for peer in peers { write(peer, to: reply) }
        map.key("moves")
        reply.append(arrayOf: report.moves.count)
        for move in report.moves { write(move, report.age(of: move), to: reply) }
        map.end()
    }

    private func write(_ peer: ClusterPeer, to reply: ReplyBuffer) {
        var map = reply.beginMap()
        map.field("id", peer.name)
        map.field("address", peer.address)
        map.field("http", peer.http)
        map.field("myself", peer.isMyself)
        map.field("state", peer.state.rawValue)
        map.field("incarnation", Int(peer.incarnation))
        map.field("shards", peer.shardCount)
        map.field("slots", peer.slotCount)
        map.field("shard_ranges", peer.shards.map(\.text).joined(separator: " "))
        map.field("epoch", Int(peer.epoch))
        map.field("missing_flows", peer.missingFlows)
        map.end()
    }

    private func write(_ flow: DifferingFlow, to reply: ReplyBuffer) {
        var map = reply.beginMap()
        map.field("flow", flow.flow)
        map.key("definitions")
        reply.append(arrayOf: flow.versions.count)
        for version in flow.versions {
            var map = reply.beginMap()
            map.field("definition", version.definition)
            map.field("nodes", version.nodes.map(\.description))
            map.end()
        }
        map.end()
    }

    private func write(_ move: ClusterReport.Move, _ age: Int, to reply: ReplyBuffer) {
        var map = reply.beginMap()
        map.field("ago_ms", age)
        map.field("shard", move.shard)
        map.field("epoch", Int(move.epoch))
        map.field("from", move.from?.description)
        map.field("to", move.to?.description)
        map.end()
    }
}

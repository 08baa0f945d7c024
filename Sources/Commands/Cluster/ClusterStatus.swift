// CLUSTER STATUS: the cluster as people want to see it, for gamectl.

import Cluster
import RESP

struct ClusterStatus: MapValue {
    let member: any ClusterMember

    func write(to map: inout MapWriter) {
        let (report, peers) = (member.report, member.peers)
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
        map.field("differing_flows", report.differingFlows)
        map.field("nodes", Maps(of: peers, write))
        map.field("moves", Maps(of: report.moves) { move, map in write(move, report.age(of: move), to: &map) })
    }

    private func write(_ peer: ClusterPeer, to map: inout MapWriter) {
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
    }

    private func write(_ move: ClusterReport.Move, _ age: Int, to map: inout MapWriter) {
        map.field("ago_ms", age)
        map.field("shard", move.shard)
        map.field("epoch", Int(move.epoch))
        map.field("from", move.from?.description)
        map.field("to", move.to?.description)
    }
}

extension DifferingFlow: MapValue {
    package func write(to map: inout MapWriter) {
        map.field("flow", flow)
        let definitions = Maps(of: versions) { version, map in
            map.field("definition", version.definition)
            map.field("nodes", version.nodes.map(\.description))
        }
        map.field("definitions", definitions)
    }
}

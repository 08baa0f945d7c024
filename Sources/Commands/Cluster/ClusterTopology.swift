// The cluster as Redis' own commands show it: every node is a master without replicas. Clients are not sent to nodes without a TCP listener: SLOTS
// and SHARDS leave them out, and in NODES they have no address.

import Cluster
import RESP

extension ClusterMember {
    var slots: ClusterSlotsReply {
        let ranges = peers.filter(\.hasPort).flatMap { peer in peer.slots.map { (slots: $0, peer: peer) } }
        return ClusterSlotsReply(ranges: ranges.sorted { $0.slots.lowerBound < $1.slots.lowerBound })
    }

    var shards: ClusterShardsReply { ClusterShardsReply(peers: peers.filter(\.hasPort)) }

    /// There is no bus between the nodes: its port is 0, and pings and pongs are not counted.
    var nodes: String { peers.map { $0.line + "\n" }.joined() }

    var info: String {
        let peers = peers
        let owned = peers.reduce(0) { $0 + $1.slotCount }
        let silent = peers.filter { !$0.isReachable }.reduce(0) { $0 + $1.slotCount }
        let fields: [(String, String)] = [
            ("cluster_state", failure == nil ? "ok" : "fail"), ("cluster_slots_assigned", "\(owned)"),
            ("cluster_slots_ok", "\(owned - silent)"), ("cluster_slots_pfail", "\(silent)"),
            ("cluster_slots_fail", "\(HashSlot.count - owned)"), ("cluster_known_nodes", "\(peers.count)"),
            ("cluster_size", "\(peers.count { !$0.slots.isEmpty })"),
            ("cluster_current_epoch", "\(peers.map(\.incarnation).max() ?? 0)"),
            ("cluster_my_epoch", "\(peers.first(where: \.isMyself)?.incarnation ?? 0)"),
            ("cluster_stats_messages_sent", "0"), ("cluster_stats_messages_received", "0"),
            ("total_cluster_links_buffer_limit_exceeded", "0"),
        ]
        return fields.map { "\($0):\($1)\r\n" }.joined()
    }
}

/// CLUSTER SLOTS.
struct ClusterSlotsReply: ReplyValue {
    let ranges: [(slots: ClosedRange<Int>, peer: ClusterPeer)]

    func write(to reply: ReplyBuffer) {
        reply.append(arrayOf: ranges.count)
        for (slots, peer) in ranges {
            reply.append(arrayOf: 3)
            reply.append(integer: slots.lowerBound)
            reply.append(integer: slots.upperBound)
            reply.append(arrayOf: 4)
            reply.append(bulk: peer.host)
            reply.append(integer: peer.port)
            reply.append(bulk: peer.name)
            reply.append(mapOf: 0)
        }
    }
}

/// CLUSTER SHARDS.
struct ClusterShardsReply: ReplyValue {
    let peers: [ClusterPeer]

    func write(to reply: ReplyBuffer) {
        let shards = Maps(of: peers) { peer, map in
            map.field("slots", peer.slots.flatMap { [$0.lowerBound, $0.upperBound] })
            map.field("nodes", Maps(of: [peer], write))
        }
        shards.write(to: reply)
    }

    private func write(_ node: ClusterPeer, to map: inout MapWriter) {
        map.field("id", node.name)
        map.field("port", node.port)
        map.field("ip", node.host)
        map.field("endpoint", node.host)
        map.field("role", "master")
        map.field("replication-offset", 0)
        map.field("health", node.isReachable ? "online" : "fail")
    }
}

extension ClusterPeer {
    fileprivate var isReachable: Bool {
        switch state {
        case .here, .leaving: true
        case .silent, .outside: false
        }
    }

    fileprivate var hasPort: Bool { port != 0 }

    /// As in a line of CLUSTER NODES.
    fileprivate var line: String {
        let flags = (isMyself ? "myself,master" : "master") + (hasPort ? "" : ",noaddr") + (isReachable ? "" : ",fail?")
        let words = [
            "\(name) \(hasPort ? address : ":0")@0 \(flags) - 0 0 \(incarnation) \(isReachable ? "connected" : "disconnected")"
        ]
        return (words + slots.map(\.text)).joined(separator: " ")
    }
}

extension ClosedRange<Int> {
    /// `0-5460`, or `7` for one.
    var text: String { count == 1 ? "\(lowerBound)" : "\(lowerBound)-\(upperBound)" }
}

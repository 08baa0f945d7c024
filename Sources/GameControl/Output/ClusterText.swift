// The reply to CLUSTER STATUS, for people.

import Client
import RESP
import Terminal
import Texts

package struct ClusterText {
    private static let head = ["NODE", "STATE", "SHARDS", "SLOTS", "EPOCH", "INCARNATION", "ID"]
    private static let idDigits = 8
    private static let maxMoves = 10
    private static let maxFlows = 10
    private static let maxShards = 16_384

    private let status: Reply
    private let style: Style

    package init(_ status: Reply, style: Style) { (self.status, self.style) = (status, style) }

    package var lines: [String] {
        var lines = ReplyText(style: style).table(Self.head, nodes.map(row))
        lines += [""] + summary
        if !moves.isEmpty { lines += ["", style("the latest moves", .faint)] + moves }
        return lines
    }

    // MARK: Nodes

    private var nodes: [Reply] { status.elements(of: "nodes") }

    private func row(_ node: Reply) -> [String] {
        let isMyself = node["myself"] == .boolean(true)
        return [
            text(node, "address") + (isMyself ? " (this one)" : ""), text(node, "state"), number(node, "shards"),
            number(node, "slots"), number(node, "epoch"), number(node, "incarnation"),
            String(text(node, "id").prefix(Self.idDigits)),
        ].map(\.printable)
    }

    // MARK: The whole

    private var summary: [String] {
        [lease, shards, missing("of this cluster", status)].compactMap(\.self)
            + nodes.compactMap { missing("at \(text($0, "address"))", $0) } + differing
    }

    private var lease: String {
        if let failure = status["failure"]?.text { return "this node serves nothing: \(failure)".printable }
        let (lease, age) = (ReplyText.duration(status["lease_ms"]), ReplyText.duration(status["age_ms"]))
        return "this node's lease lasts for \(lease); this snapshot is \(age) old"
    }

    private var shards: String {
        var sentence = "\(number(status, "shards")) shards"
        let unowned = text(status, "unowned")
        if !unowned.isEmpty { sentence += ", of which \(unowned.printable) have no owner" }
        if status["loading"] != .integer(0) { sentence += "; \(number(status, "loading")) are being loaded by this node" }
        return sentence
    }

    /// The reason why a list of all nodes' sessions is incomplete; nil if each shard belongs to a node that is asked.
    package static func gap(in status: Reply) -> String? {
        if let failure = status["failure"]?.text { return "this node serves nothing: \(failure)" }
        let nodes = status.elements(of: "nodes").filter { $0["state"]?.text != "outside" }
        let owned = nodes.reduce(0) { $0 + min(max(0, $1["shards"]?.integer ?? 0), maxShards) }
        guard let all = status["shards"]?.integer, all > owned else { return nil }
        return "\(all - owned) of \(all) shards have no owner: sessions may be missing here; gamectl cluster shows more"
    }

    private func missing(_ place: String, _ of: Reply) -> String? {
        let flows = of.elements(of: "missing_flows")
        guard !flows.isEmpty else { return nil }
        let names = flows.compactMap(\.text).joined(separator: ", ")
        return "\(place), shards wait for these flows: \(names)".printable
    }

    /// A line for each flow.
    private var differing: [String] {
        let flows = status.elements(of: "differing_flows")
        let lines = flows.prefix(Self.maxFlows).map { flow in
            let definitions = flow.elements(of: "definitions").map { version in
                let places = version.elements(of: "nodes").compactMap(\.text).joined(separator: ", ")
                return "\(version["definition"]?.text ?? "none") at \(places)"
            }
            return "definitions of '\(text(flow, "flow"))' differ: \(definitions.joined(separator: "; "))".printable
        }
        let more = flows.count - lines.count
        return lines + (more > 0 ? ["definitions of \(more) more flows differ"] : [])
    }

    // MARK: Moves

    /// Shards that went the same way at the same time are one line.
    private var moves: [String] {
        var groups: [(way: String, ago: String, shards: [String])] = []
        for move in status.elements(of: "moves") {
            let way = "\(move["from"]?.text ?? "nobody") -> \(move["to"]?.text ?? "nobody")"
            let ago = ReplyText.duration(move["ago_ms"])
            if let same = groups.lastIndex(where: { $0.way == way && $0.ago == ago }) {
                groups[same].shards.append(number(move, "shard"))
            } else {
                groups.append((way, ago, [number(move, "shard")]))
            }
        }
        return groups.prefix(Self.maxMoves).map { group in
            let shards = group.shards.count == 1 ? "shard \(group.shards[0])" : "\(group.shards.count) shards"
            return "\(group.ago) ago  \(group.way)  \(shards)".printable
        }
    }

    // MARK: Members of the reply

    private func text(_ reply: Reply, _ name: String) -> String { reply[name]?.text ?? "" }

    private func number(_ reply: Reply, _ name: String) -> String { reply[name]?.integer.map(String.init) ?? "-" }
}

// Requests to all nodes: lists of sessions, one node after the other; and the next timers, from all nodes at once.

import Cluster
import Commands
import GameFlow
import RESP

/// Where a list of all nodes' sessions goes on: a node, and a place there.
struct NodesCursor: Equatable {
    /// Short for the node's incarnation; the next one follows if it is gone.
    var node: Int64
    var place: Int

    private static let placeBits = 33
    private static let nodeBits = 20

    init(node: Int64, place: Int) { (self.node, self.place) = (node, place) }

    /// 0 is the beginning.
    init(_ number: Int) {
        place = number & (1 << Self.placeBits - 1)
        node = Int64(number >> Self.placeBits)
    }

    /// A number that every reader of JSON keeps.
    var number: Int { Int(node) << Self.placeBits | place }

    /// Incarnations are rising numbers, about the seconds at which nodes joined: those that are there at the same time differ in this, too, unless
    /// they joined twelve days apart to the second. It is never 0.
    static func short(_ incarnation: Int64) -> Int64 { incarnation % (1 << nodeBits - 1) + 1 }
}

extension Field {
    static let nodes = optional(
        "nodes", .choice(["all", "own"]),
        "in a cluster, the sessions of all nodes (default), or only those of the requested node")
}

extension WebCall {
    /// The cluster, where this is asked of all its nodes.
    var cluster: (any ClusterMember)? {
        isRelayed || target.value("nodes") == "own" ? nil : host.cluster
    }

    // MARK: Lists

    /// The part of a list at its cursor: of this node's sessions or another's.
    func answerSessions(of cluster: any ClusterMember) throws(CommandError) {
        let cursor = NodesCursor(Int(target.value("cursor") ?? "0") ?? 0)
        let others = cluster.others.filter { $0.state != .outside }
        let me = NodesCursor.short(cluster.incarnationNumber)
        let all = (others.map { NodesCursor.short($0.incarnation) } + [me]).sorted()
        guard let node = all.first(where: { $0 >= cursor.node }) else { return answerSessions("[]", next: 0) }
        let place = node == cursor.node ? cursor.place : 0
        let following = all.first { $0 > node }
        let next = { (part: Int) in
            if part != 0 { return NodesCursor(node: node, place: part).number }
            return following.map { NodesCursor(node: $0, place: 0).number } ?? 0
        }
        guard node != me, let other = others.first(where: { NodesCursor.short($0.incarnation) == node }) else {
            return try listSessions(from: place) { [self] in answerSessions($0, next: next($1)) }
        }
        askList(of: other, from: place) { [self] in answerSessions($0, next: next($1)) }
    }

    func answerSessions(_ rows: String, next: Int) { answer(#"{"sessions":\#(rows),"cursor":"\#(next)"}"#) }

    private func askList(of node: RemoteNode, from place: Int, then: @escaping (String, Int) -> Void) {
        var words = ["cursor=\(place)"]
        for name in ["match", "flow", "state", "count"] {
            if let value = target.value(name) { words.append("\(name)=\(value.escapedForQuery)") }
        }
        ask(node, "/api/sessions?" + words.joined(separator: "&")) { json in
            let next = json["cursor"]?.text.flatMap { Int($0) } ?? 0
            then((json["sessions"] ?? []).description, next)
        }
    }

    /// Asks another node for something to read; its refusal is the answer.
    private func ask(_ node: RemoteNode, _ target: String, then: @escaping (JSON) -> Void) {
        let asked = site.relay.ask(node, "GET", target, for: VisitorIdentity(visitor), consumer) { [self] result in
            switch result {
            case .success(let found):
                if let error = found.error { return fail(error) }
                then(found.json ?? .null)
            case .failure(let error): fail(error)
            }
        }
        request.onGone = { asked?.cancel() }
    }

    // MARK: Next timers

    /// The first of all, of those that each node has first.
    func answerNext(_ count: Int, of cluster: any ClusterMember) {
        perform(NextRequest(count: count)) { [self] reply in
            let nodes = cluster.others.filter { $0.state != .outside }
            gather([reply.json], from: nodes[...], count)
        }
    }

    private func gather(_ found: [JSON], from nodes: ArraySlice<RemoteNode>, _ count: Int) {
        guard let node = nodes.first else { return answer(["timers": .array(Self.first(count, of: found))]) }
        ask(node, "/api/next?count=\(count)") { [self] json in
            gather(found + [json["timers"] ?? []], from: nodes.dropFirst(), count)
        }
    }

    private static func first(_ count: Int, of lists: [JSON]) -> [JSON] {
        let timers = lists.flatMap(\.elements)
        let sorted = timers.sorted { ($0["remaining_ms"]?.integer ?? 0) < ($1["remaining_ms"]?.integer ?? 0) }
        return Array(sorted.prefix(count))
    }
}

// The cluster, as the page shows it.

import Cluster
import Commands
import GameFlow
import RESP

extension ClusterMember {
    private static var maxMoves: Int { 128 }

    /// As this node sees it. A brief one has only this node's own state.
    func json(isBrief: Bool) -> JSON {
        let report = report
        let own: [JSON.Member] = [
            .init("lease_ms", number(report.leaseMilliseconds)), .init("age_ms", number(report.ageMilliseconds)),
            .init("loading", .integer(report.loading)), .init("failure", failure.map { .string($0) } ?? .null),
        ]
        guard !isBrief else { return .object(own) }
        let whole: [JSON.Member] = [
            .init("shards", .integer(report.shards)), .init("unowned", .integer(report.unowned.reduce(0) { $0 + $1.count })),
            .init("missing_flows", .array(report.missingFlows.map { .string($0) })),
            .init("differing_flows", report.differingFlows.json),
            .init("nodes", .array(peers.map(\.json))),
            .init("moves", .array(report.moves.prefix(Self.maxMoves).map { $0.json(report.age(of: $0)) })),
        ]
        return .object(own + whole)
    }

    private func number(_ value: Int?) -> JSON { value.map { .integer($0) } ?? .null }
}

extension ClusterPeer {
    fileprivate var json: JSON {
        [
            "node": .string(name), "address": port == 0 ? .null : .string(address), "http": http.map { .string($0) } ?? .null,
            "myself": .bool(isMyself), "state": .string(state.rawValue), "shards": .integer(shardCount),
            "missing_flows": .array(missingFlows.map { .string($0) }),
        ]
    }
}

extension ClusterReport.Move {
    fileprivate func json(_ age: Int) -> JSON {
        [
            "ago_ms": .integer(age), "shard": .integer(shard), "epoch": .integer(Int(epoch)),
            "from": from.map { .string($0.description) } ?? .null, "to": to.map { .string($0.description) } ?? .null,
        ]
    }
}

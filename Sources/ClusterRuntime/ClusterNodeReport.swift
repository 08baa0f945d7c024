// The cluster as this node sees it, in the words of the commands.

import Cluster
import Commands
import Sessions
import Timers

extension ClusterNode: ClusterMember {
    private static var maxDifferingFlows: Int { 100 }

    package var name: String { member.name }

    package var peers: [ClusterPeer] {
        let (view, me, silent) = (member.view, member.incarnation, member.silentNodes)
        var peers = zip(view.nodes, view.parts).map { node, part in
            let shards = part.inRanges
            return ClusterPeer(
                name: node.id.description, host: node.address.host, port: node.address.port, http: node.standing.door?.url,
                incarnation: node.incarnation.number, isMyself: node.incarnation == me,
                state: state(of: node, silent), slots: shards.map { view.map.slots(ofShards: $0) }, shards: shards,
                epoch: part.lazy.map(view.epoch).max() ?? 0,
                missingFlows: Set(node.standing.declined.values.joined()).sorted())
        }
        if !peers.contains(where: \.isMyself) { peers.append(outsider) }
        return peers
    }

    private func state(of node: NodeRecord, _ silent: Set<Incarnation>) -> ClusterPeer.State {
        if node.incarnation == member.incarnation, failure != nil { return .outside }
        if silent.contains(node.incarnation) { return .silent }
        return node.standing.isLeaving ? .leaving : .here
    }

    /// This node while it has no lease.
    private var outsider: ClusterPeer {
        ClusterPeer(
            name: member.name, host: member.address.host, port: member.address.port, http: nil, incarnation: 0, isMyself: true,
            state: .outside, slots: [], shards: [], epoch: 0, missingFlows: [])
    }

    package var incarnationNumber: Int64 { member.incarnation?.number ?? 0 }

    package var others: [RemoteNode] {
        let silent = member.silentNodes
        return member.view.nodes.filter { $0.incarnation != member.incarnation }.map { other($0, silent) }
    }

    package func other(ofSlot slot: Int) -> RemoteNode? {
        guard failure == nil, !isHere(slot: slot) else { return nil }
        guard let node = member.view.owner(ofSlot: slot), node.incarnation != member.incarnation else { return nil }
        return other(node, member.silentNodes)
    }

    private func other(_ node: NodeRecord, _ silent: Set<Incarnation>) -> RemoteNode {
        RemoteNode(
            name: node.id.description, incarnation: node.incarnation.number, address: node.address, door: node.standing.door,
            state: state(of: node, silent))
    }

    package var report: ClusterReport {
        let (view, now) = (member.view, Self.now)
        var report = ClusterReport(at: now)
        report.shards = view.map.count
        report.unowned = view.free.inRanges
        report.missingFlows = Set(view.free.flatMap(missingFlows)).sorted()
        report.differingFlows = Array(view.differingFlows.prefix(Self.maxDifferingFlows))
        report.loading = persistence.loadingCount
        report.leaseMilliseconds = member.mayServe(at: now) ? now.duration(to: member.servesUntil).milliseconds : nil
        report.ageMilliseconds = member.viewAge(at: now)?.milliseconds
        report.moves = moves.entries.reversed()
        return report
    }

    private func missingFlows(_ shard: Int) -> [String] {
        if case .flowsMissing(let flows) = member.view.unownedReason(of: shard) { flows } else { [] }
    }

    package func sessions(ofSlot slot: Int) -> [Session] {
        persistence.sessions(ofShard: member.view.map.shard(ofSlot: slot)).filter { $0.withName(HashSlot.of) == slot }
    }
}

extension ShardSet {
    /// Neighbours are one range.
    fileprivate var inRanges: [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        for number in self {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges
    }
}

extension ShardMap {
    fileprivate func slots(ofShards shards: ClosedRange<Int>) -> ClosedRange<Int> {
        slots(ofShard: shards.lowerBound).lowerBound...slots(ofShard: shards.upperBound).upperBound
    }
}

// MARK: - Counters of this node's work in the cluster since it began.

struct ClusterTally {
    /// Its counters; the other values are of the moment of a report.
    private(set) var counts = ClusterStatistics()
    /// Shards that are being read, and since when.
    private var loading: [Int: Instant] = [:]
    /// Shards that are served, or handed over.
    private var held: Set<Int> = []

    mutating func count(_ event: MemberEvent, at now: Instant) {
        switch event {
        case .answered(_, .failed): counts.failedRenewals += 1
        case .answered(_, .joined): counts.joins += 1
        case .answered(_, .update): counts.renewals += 1
        case .loaded(let shard, _): countLoad(of: shard, at: now)
        case .released(let shard, _): if held.remove(shard) != nil { counts.given += 1 }
        case .declined(let shard, _, _), .unfit(let shard, _, _): loading[shard] = nil
        case .timePassed, .answered, .shardsGained, .arrived, .lostTrack, .declines, .misfits, .defines, .stop:
            break
        }
    }

    mutating func count(_ action: MemberAction, at now: Instant) {
        switch action {
        case .load(let shard, _): loading[shard] = now
        case .forget(let shard):
            loading[shard] = nil
            if held.remove(shard) != nil { counts.lost += 1 }
        case .forgetAll:
            counts.lost += held.count
            (held, loading) = ([], [:])
        case .warn: counts.clockJumps += 1
        case .reportGoneBack: counts.rewinds += 1
        case .ask, .release, .announce, .reportOccupied, .refuseDouble, .end: break
        }
    }

    private mutating func countLoad(of shard: Int, at now: Instant) {
        counts.taken += 1
        held.insert(shard)
        if let since = loading.removeValue(forKey: shard) { counts.loads.count(now.nanoseconds(since: since)) }
    }
}

extension ClusterNode {
    package var statistics: ClusterStatistics {
        let now = Self.now
        var statistics = tally.counts
        statistics.rewinds += persistence.rewinds
        statistics.rewrittenRows = persistence.rewrittenRows
        statistics.leaseLeft = member.mayServe(at: now) ? now.duration(to: member.servesUntil) : .zero
        statistics.age = member.viewAge(at: now)
        statistics.shards = member.view.map.count
        statistics.unowned = member.view.free.count
        statistics.loading = persistence.loadingCount
        statistics.owned = member.shards.map { ($0, member.epoch(ofShard: $0) ?? 0) }
        statistics.tablesBacklogBytes = persistence.tablesBacklogBytes
        return statistics
    }
}

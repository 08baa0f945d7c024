// Counters of this node's work in the cluster since it began.

import Cluster
import Commands
import Timers

struct ClusterTally {
    private(set) var renewals = 0
    private(set) var failedRenewals = 0
    private(set) var joins = 0
    private(set) var taken = 0
    private(set) var given = 0
    private(set) var lost = 0
    private(set) var clockJumps = 0
    private(set) var rewinds = 0
    private(set) var loads = DurationHistogram()
    /// Shards that are being read, and since when.
    private var loading: [Int: Instant] = [:]
    /// Shards that are served, or handed over.
    private var held: Set<Int> = []

    mutating func count(_ event: MemberEvent, at now: Instant) {
        switch event {
        case .answered(_, .failed): failedRenewals += 1
        case .answered(_, .joined): joins += 1
        case .answered(_, .news): renewals += 1
        case .loaded(let shard, _): countLoad(of: shard, at: now)
        case .released(let shard, _): if held.remove(shard) != nil { given += 1 }
        case .declined(let shard, _, _), .unfit(let shard, _, _): loading[shard] = nil
        case .timePassed, .answered, .shardsGained, .arrived, .lostTrack, .declines, .misfits, .defines, .stop: break
        }
    }

    mutating func count(_ action: MemberAction, at now: Instant) {
        switch action {
        case .load(let shard, _): loading[shard] = now
        case .forget(let shard):
            loading[shard] = nil
            if held.remove(shard) != nil { lost += 1 }
        case .forgetAll:
            lost += held.count
            (held, loading) = ([], [:])
        case .warn: clockJumps += 1
        case .reportGoneBack: rewinds += 1
        case .ask, .release, .announce, .reportOccupied, .refuseDouble, .end: break
        }
    }

    private mutating func countLoad(of shard: Int, at now: Instant) {
        taken += 1
        held.insert(shard)
        if let since = loading.removeValue(forKey: shard) { loads.count(now.nanoseconds(since: since)) }
    }
}

extension ClusterNode {
    package var figures: ClusterStatistics {
        let now = Self.now
        var figures = ClusterStatistics()
        (figures.renewals, figures.failedRenewals, figures.joins) = (tally.renewals, tally.failedRenewals, tally.joins)
        (figures.taken, figures.given, figures.lost, figures.loads) = (tally.taken, tally.given, tally.lost, tally.loads)
        figures.clockJumps = tally.clockJumps
        (figures.rewinds, figures.rewrittenRows) = (tally.rewinds + persistence.rewinds, persistence.rewrittenRows)
        figures.leaseLeft = member.mayServe(at: now) ? now.duration(to: member.servesUntil) : .zero
        figures.age = member.viewAge(at: now)
        figures.shards = member.view.map.count
        figures.unowned = member.view.free.count
        figures.loading = persistence.loadingCount
        figures.owned = member.shards.map { ($0, member.epoch(ofShard: $0) ?? 0) }
        figures.tablesBacklogBytes = persistence.tablesBacklogBytes
        return figures
    }
}

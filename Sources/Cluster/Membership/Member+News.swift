// What a member learns from the registry: its lease, and what it owns.

import Timers

extension Member {
    func takeJoining(_ incarnation: Incarnation, _ news: News, _ askedAt: Instant, _ now: Instant) {
        phase = .inside(incarnation)
        renewals = 0
        view = ClusterView(map: view.map)
        joinedAt = now
        applyNews(news, askedAt: askedAt, at: now)
        // Who else has joined meanwhile?
        nextQuestion = min(nextQuestion, now.advanced(by: times.settling))
    }

    func applyNews(_ news: News, askedAt: Instant, at now: Instant) {
        guard case .inside(let me) = phase else { return }
        guard isRaising ? news.rewinds > remembered.rewinds : continues(news) else {
            lease.renewed(askedAt: askedAt, answeredAt: now, times)
            return raise(from: news, now)
        }
        renewals = news.renewals ?? 0
        let isAll = isRaising || view.version == 0
        if isRaising { endRaising(now) }
        remembered.apply(news, isAll: isAll)
        // With the same as before, and all well, the same plan follows.
        let isWell = news.lapsing.isEmpty && lapses.isEmpty && now < lease.servesUntil && view.free.isEmpty
        if !isWell || news.version > view.version { nextPlan = .zero }
        lease.renewed(askedAt: askedAt, answeredAt: now, times)
        if let jump = clock.update(from: news.time, askedAt: askedAt, answeredAt: now) {
            actions.append(.warn(clockJump: jump))
        }
        let gains = gains(of: news.shards, me)
        if !news.shards.isEmpty || !news.nodes.isEmpty { lastShares = nil }
        unheard.update(news.shards, of: view, until: now.advanced(by: times.lease), now)
        view.apply(news)
        // The same, but in one piece of memory: they are compared for every plan, and may name thousands of shards.
        if !news.nodes.isEmpty, let published, published == standing { standing = published }
        followClocks()
        transits.removeSuperseded(by: news.shards)
        let held = holdings.shards
        for record in news.shards where record.owner == me || held.contains(record.shard) { reconcile(record, me, now) }
        if !awaited.isEmpty { awaited = awaited.filter { holdings[$0] != nil } }
        awaited.formUnion(gains)
        lapses = LapsingLeases(news.lapsing, at: now)
    }

    /// All nodes go by the same time, also those that join after the registry's clock has jumped.
    private func followClocks() {
        for node in view.nodes where node.incarnation != incarnation { clock.adopt(node.standing.clock) }
        guard standing.clock != clock.correction else { return }
        standing.clock = clock.correction
        nextPlan = .zero
    }

    /// The incarnation has ended: begin as a new one, with nothing.
    func resetAfterEnd(at now: Instant) {
        if case .parting = phase { return finish() }
        actions.append(.forgetAll)
        holdings = OwnedShards()
        (transits, awaited) = (Transits(), [])
        lease.end()
        lapses = LapsingLeases()
        phase = .outside
        standing.isUnproven = false
        nextQuestion = now
    }

    /// The shards that are this node's now and were not before.
    private func gains(of records: [ShardRecord], _ me: Incarnation) -> [Int] {
        records.lazy.filter { $0.owner == me && $0.shard >= 0 && $0.shard < self.view.map.count }.map(\.shard)
            .filter { self.view.owner(ofShard: $0) != me }
    }

    private func reconcile(_ record: ShardRecord, _ me: Incarnation, _ now: Instant) {
        guard record.shard >= 0, record.shard < view.map.count else { return }
        let held = holdings[record.shard]
        let isMine = record.owner == me
        if isMine, held?.epoch == record.epoch { return }
        if let owner = record.owner, !isMine, held?.stage == .released, view.node(owner) != nil {
            transits.begin(record.shard, record.epoch, until: now.advanced(by: times.transit))
        }
        if held?.isInMemory == true { actions.append(.forget(shard: record.shard)) }
        if !isMine { heldBack.unloaded.remove(record.shard) }
        holdings[record.shard] = isMine ? adopt(record, now) : nil
    }

    /// A new shard. What will be given away at once is not loaded.
    private func adopt(_ record: ShardRecord, _ now: Instant) -> OwnedShard {
        if standing.declinedShards.contains(record.shard) { return OwnedShard(epoch: record.epoch, stage: .declined) }
        if standing.isLeaving, now >= heldBack.until { return OwnedShard(epoch: record.epoch, stage: .released) }
        load(record, now)
        return OwnedShard(epoch: record.epoch, stage: .loading)
    }
}

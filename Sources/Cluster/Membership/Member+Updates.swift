// News from the registry: the member's lease, and the shards that it owns.

import Timers

extension Member {
    func takeJoining(_ incarnation: Incarnation, _ update: RegistryUpdate, _ askedAt: Instant, _ now: Instant) {
        phase = .inside(incarnation)
        renewals = 0
        view = ClusterView(map: view.map)
        joinedAt = now
        // Other nodes know how the registry's clock has run meanwhile. This node's own may have stood still, with its virtual machine.
        if update.nodes.contains(where: { !$0.hasEnded && $0.incarnation != incarnation }) { clock = RegistryClock() }
        applyUpdate(update, askedAt: askedAt, at: now)
        // Asks again soon, since other nodes may have joined meanwhile.
        nextQuestion = min(nextQuestion, now.advanced(by: times.settling))
    }

    func applyUpdate(_ update: RegistryUpdate, askedAt: Instant, at now: Instant) {
        guard case .inside(let me) = phase else { return }
        guard isRaising ? update.rewinds > remembered.rewinds : continues(update) else {
            lease.renewed(askedAt: askedAt, answeredAt: now, times)
            return raise(from: update, now)
        }
        renewals = update.renewals ?? 0
        let isAll = isRaising || view.version == 0
        if isRaising { endRaising(now) }
        unheard.update(update.shards, since: remembered, until: now.advanced(by: times.lease), now)
        remembered.apply(update, isAll: isAll)
        // With the same as before, and all well, the same plan follows.
        let isSteady = lease.steadySince != nil && now < lease.servesUntil
        let isWell = update.lapsing.isEmpty && lapses.isEmpty && isSteady && view.free.isEmpty
        if !isWell || update.version > view.version { nextPlan = .zero }
        lease.renewed(askedAt: askedAt, answeredAt: now, times)
        if let jump = clock.update(from: update.time, askedAt: askedAt, answeredAt: now) {
            actions.append(.warn(clockJump: jump))
        }
        let gains = gains(of: update.shards, me)
        if !update.shards.isEmpty || !update.nodes.isEmpty { lastShares = nil }
        view.apply(update)
        // The same, but in one piece of memory: they are compared for every plan, and may name thousands of shards.
        if !update.nodes.isEmpty, let published, published == standing { standing = published }
        updateClocks()
        transits.removeSuperseded(by: update.shards)
        let held = holdings.shards
        for record in update.shards where record.owner == me || held.contains(record.shard) { reconcile(record, me, now) }
        if isAll || update.nodes.contains(where: \.hasEnded) { reconsiderDeclined() }
        if !awaited.isEmpty { awaited = awaited.filter { holdings[$0] != nil } }
        awaited.formUnion(gains)
        lapses = LapsingLeases(update.lapsing, at: now)
    }

    /// All nodes go by the same time, also those that join after the registry's clock has jumped.
    private func updateClocks() {
        for node in view.nodes where node.incarnation != incarnation { clock.adopt(node.standing.clock) }
        guard standing.clock != clock.correction else { return }
        standing.clock = clock.correction
        nextPlan = .zero
    }

    /// A node has ended that may have served shards which this node had declined. Their sessions of missing flows may be gone. A shard without owner
    /// that still has such sessions is declined again when it is loaded, so each end of a node costs one load of it at most.
    private func reconsiderDeclined() {
        let declined = standing.declined.filter { !view.free.contains($0.key) }
        guard declined.count < standing.declined.count else { return }
        standing.setDeclined(declined)
        nextPlan = .zero
    }

    /// The incarnation has ended: begin as a new one, with nothing.
    func resetAfterEnd(at now: Instant) {
        if case .parting = phase { return finish(hasLeft: true) }
        actions.append(.forgetAll)
        holdings = OwnedShards()
        (transits, awaited, heldBack) = (Transits(), [], HeldBack(until: heldBack.until))
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

    /// Adds a new shard. A shard that will be given away at once is not loaded.
    private func adopt(_ record: ShardRecord, _ now: Instant) -> OwnedShard {
        if standing.declinedShards.contains(record.shard) {
            heldBack.unloaded.remove(record.shard)
            return OwnedShard(epoch: record.epoch, stage: .declined)
        }
        if standing.isLeaving, now >= heldBack.until, !heldBack.unloaded.contains(record.shard) {
            return OwnedShard(epoch: record.epoch, stage: .released)
        }
        load(record, now)
        return OwnedShard(epoch: record.epoch, stage: .loading)
    }
}

// MARK: - Shards that this node has given to others

struct Transits: Sendable {
    /// By shard. One counts as over at `until`: that it was, may never be heard.
    private var transits: [Int: (epoch: Int64, until: Instant)] = [:]

    var count: Int { transits.count }

    /// When the first of them counts as over.
    var next: Instant { transits.values.lazy.map(\.until).min() ?? .never }

    mutating func begin(_ shard: Int, _ epoch: Int64, until: Instant) {
        transits[shard] = (epoch, until)
    }

    mutating func end(_ arrival: Arrival) {
        if let transit = transits[arrival.shard], transit.epoch <= arrival.epoch { transits[arrival.shard] = nil }
    }

    /// The shards have these epochs now: they may have moved on without having been served.
    mutating func removeSuperseded(by records: [ShardRecord]) {
        guard !transits.isEmpty else { return }
        for record in records {
            if let transit = transits[record.shard], transit.epoch < record.epoch { transits[record.shard] = nil }
        }
    }

    mutating func end(at now: Instant) {
        if !transits.isEmpty { transits = transits.filter { $0.value.until > now } }
    }
}

// MARK: - Nodes that have missed a renewal

struct LapsingLeases: Sendable {
    /// In order of incarnation.
    private var ends: [(node: Incarnation, at: Instant)] = []

    init() {}

    /// An answer's age is not known: leases are taken to end later than they do, by that.
    init(_ lapsing: [LapsingLease], at now: Instant) {
        ends = lapsing.map { ($0.incarnation, now.advanced(by: $0.remaining)) }.sorted { $0.node < $1.node }
    }

    var isEmpty: Bool { ends.isEmpty }

    var nodes: Set<Incarnation> { Set(ends.map(\.node)) }

    /// The nodes that this one should end now, and when it should look again. The survivors take precedence in turns, so that they
    /// need not all ask at once: the first of them ends it, and should it fail to, the next.
    func due(for me: Incarnation, among nodes: [Incarnation], at now: Instant, _ times: MemberTimes) -> (
        now: Set<Incarnation>, next: Instant
    ) {
        let survivors = nodes.filter { node in !ends.contains { $0.node == node } }
        guard let mine = survivors.firstIndex(of: me) else { return ([], .never) }
        var (due, next): (Set<Incarnation>, Instant) = ([], .never)
        for (node, end) in ends {
            let first = Int(truncatingIfNeeded: node.number) % survivors.count
            let turn = min(mine - first + (mine < first ? survivors.count : 0), Self.maxTurns)
            let time = end.advanced(by: times.precedence * turn)
            if time <= now { due.insert(node) } else { next = min(next, time) }
        }
        return (due, next)
    }

    private static let maxTurns = 8
}

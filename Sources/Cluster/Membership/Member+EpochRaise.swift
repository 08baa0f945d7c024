// Recovery after the registry has gone back in time: the member raises it above the remembered state, and asks for everything.

import Timers

/// Shards that a node does not load at once, since the registry went back in time.
struct HeldBack: Equatable, Sendable {
    var shards: Set<Int> = []
    var until = Instant.zero
    /// These, those that it loads now, and those with a last commit of unknown outcome: only this node can write again what their logs have lost.
    var unloaded: Set<Int> = []
}

extension Member {
    /// Whether the registry has not gone back in time since the last answer. It may have changed so much since that its version is higher.
    func continues(_ update: RegistryUpdate) -> Bool {
        update.version >= remembered.version && update.renewals.map { $0 > renewals } ?? true
            && (update.rewinds == remembered.rewinds || view.version == 0 && update.rewinds > remembered.rewinds)
    }

    func raise(from update: RegistryUpdate, _ now: Instant) {
        // Another node may have raised it already. Even then this node may have seen what never was.
        if update.rewinds <= remembered.rewinds {
            raise(from: update.version, now)
        } else {
            askForAll(now)
        }
    }

    /// Keeps this node's state in memory, which is newer than the registry.
    func raise(from version: Int64, _ now: Instant) {
        if !isRaising { actions.append(.reportGoneBack(versions: max(0, remembered.version - version))) }
        askForAll(now)
    }

    private func askForAll(_ now: Instant) {
        lease.interrupt()
        isRaising = true
        (nextQuestion, nextPlan, nextWord) = (now, .zero, .zero)
    }

    /// The registry has been raised, by this node or another. A node that has not asked since may know better who owned a shard last.
    func endRaising(_ now: Instant) {
        isRaising = false
        view = ClusterView(map: view.map)
        heldBack = HeldBack(until: now.advanced(by: times.grace))
    }

    /// The registry's connection has ended. It may have gone back in time, and the logs of released shards may lack rows, also of those that are
    /// being released: this node loads them again before it hands them over.
    func doubtReleased() {
        for shard in holdings.shards(in: .released, .releasing) {
            if holdings[shard]?.stage == .released { holdings[shard]?.stage = .doubtful }
            heldBack.unloaded.insert(shard)
        }
    }

    func load(_ record: ShardRecord, _ now: Instant) {
        guard now < heldBack.until else {
            heldBack.shards.remove(record.shard)
            return actions.append(.load(shard: record.shard, epoch: record.epoch))
        }
        heldBack.shards.insert(record.shard)
        heldBack.unloaded.insert(record.shard)
    }

    /// Loads the shards that were held back, if they are still this node's.
    func loadHeldBack(_ now: Instant) {
        guard !heldBack.shards.isEmpty, now >= heldBack.until else { return }
        for shard in heldBack.shards.sorted() {
            guard let holding = holdings[shard], holding.stage == .loading else { continue }
            actions.append(.load(shard: shard, epoch: holding.epoch))
        }
        heldBack.shards = []
    }

    // MARK: Shards with sessions that do not all fit the definitions of the node's flows

    /// Whether the daemon does not serve this shard, since another node may restore more of its sessions. `flows` counts, by flow,
    /// the sessions that this one cannot restore.
    package func declines(_ shard: Int, unfit flows: [String: Int]) -> Bool {
        guard case .inside(let me) = phase else { return false }
        var standing = standing
        standing.setMisfits(flows, of: shard)
        let input = PlanInput(view, PlanContext(me: me, standing: standing, absent: lapses.nodes, ending: []), of: shard)
        if standing.isLeaving { return !input.takers.isEmpty }
        return view.incarnations.sortedIndex(of: me).map { input.declined(by: $0).contains(shard) } ?? false
    }

    /// Before it joins: the definitions of the daemon's flows.
    package func define(_ definitions: FlowDefinitions) {
        guard standing.definitions != definitions || !standing.misfits.isEmpty else { return }
        standing.setDefinitions(definitions)
        nextPlan = .zero
    }

    func decline(_ shard: Int, _ epoch: Int64, unfit flows: [String: Int]) {
        standing.setMisfits(flows, of: shard)
        change(shard, epoch, from: .loading, to: .declined)
    }

    func setMisfits(_ misfits: [Int: [String: Int]]) {
        guard !misfits.isEmpty else { return }
        for (shard, flows) in misfits where holdings[shard]?.stage == .serving { standing.setMisfits(flows, of: shard) }
        nextPlan = .zero
    }

    // MARK: Leaving the cluster

    func stop(_ deadline: Instant) {
        guard phase != .over else { return }
        stopDeadline = deadline
        standing.isLeaving = true
        nextPlan = .zero
    }

    func leaveIfDone(_ me: Incarnation, _ now: Instant) {
        guard let lastMoment, underWay == nil else { return }
        // Shards still owned by then have no taker: every shard with a taker has been asked for.
        let isDone = published?.isLeaving == true && nextPlan == .never && holdings.shards == holdings.outOfMemory
        guard isDone && !mayHaveToWriteAgain || now >= lastMoment else { return }
        leftShards = holdings.shards.count
        if !holdings.isEmpty { actions.append(.forgetAll) }
        holdings = OwnedShards()
        lease.end()
        (phase, partedAt) = (.parting(me), now)
        ask(.leave(me), now)
    }

    /// Whether the database may lack something that it had acknowledged to this node, and to no other.
    private var mayHaveToWriteAgain: Bool {
        guard !holdings.isEmpty else { return false }
        return isRaising || !heldBack.unloaded.isEmpty || lease.steadySince == nil
    }

    /// The deadline of a stopping node, after which it leaves with shards that it still holds.
    var lastMoment: Instant? {
        let isWaiting = mayHaveToWriteAgain || !holdings.shards(in: .releasing).isEmpty
        return stopDeadline.map { isWaiting ? $0.advanced(by: times.rewriting) : $0 }
    }

    /// When a stopping node ends at the latest, also if it still waits for an answer.
    private var endOfStop: Instant? { stopDeadline.map { $0.advanced(by: times.maxLeaveTime) } }

    /// When a stopping node ends: the answer to its last question has come by then.
    var endsBy: Instant? {
        guard let lastMoment, let endOfStop else { return nil }
        return min(max(lastMoment, partedAt ?? .zero).advanced(by: times.renewal), endOfStop)
    }

    /// The time for leaving is over. A node that is ready only now still asks to leave: others need not wait for its lease.
    func endLate(_ now: Instant) {
        guard case .inside(let me) = phase, underWay == nil, let endOfStop, now < endOfStop else { return finish() }
        leaveIfDone(me, now)
    }

    /// `hasLeft` if the registry has confirmed that the incarnation has ended.
    func finish(hasLeft: Bool = false) {
        guard phase != .over else { return }
        leftShards = hasLeft ? 0 : keptShards
        if !holdings.isEmpty { actions.append(.forgetAll) }
        holdings = OwnedShards()
        lease.end()
        underWay = nil
        phase = .over
        actions.append(.end)
    }
}

// MARK: - Joining the cluster

/// Another node that has a member's address, as the member has seen it since.
struct Occupant: Equatable, Sendable {
    let node: Incarnation
    /// When it was first seen.
    let since: Instant
    private(set) var leaseUntil: RegistryTime
    /// When it was last seen to have renewed its lease.
    private(set) var renewedAt: Instant
    /// When the question before was asked.
    private var askedAt: Instant

    init(_ node: Incarnation, leaseUntil: RegistryTime, at now: Instant) {
        (self.node, self.leaseUntil, since, renewedAt, askedAt) = (node, leaseUntil, now, now, now)
    }

    /// Whether it has renewed its lease between two questions, so late that the node must be alive.
    mutating func isAlive(
        _ leaseUntil: RegistryTime, askedAt: Instant, at now: Instant, _ times: MemberTimes
    ) -> Bool {
        let before = self.askedAt
        self.askedAt = askedAt
        guard self.leaseUntil < leaseUntil else { return false }
        (self.leaseUntil, renewedAt) = (leaseUntil, now)
        return before >= since.advanced(by: times.doubleDetection)
    }

    /// When the registry was away all leases have expired: a node that lives has renewed its lease by then.
    func isSilent(at now: Instant, _ times: MemberTimes) -> Bool { now >= renewedAt.advanced(by: times.grace) }
}

extension Member {
    /// An earlier process at this address may have been killed; then its lease expires. A node that is alive renews its lease.
    func waitForAddress(_ other: Incarnation, _ leaseUntil: RegistryTime, _ askedAt: Instant, _ now: Instant) {
        nextQuestion = now.advanced(by: times.occupied)
        guard occupant?.node == other else {
            occupant = Occupant(other, leaseUntil: leaseUntil, at: now)
            actions.append(.reportOccupied(other))
            return
        }
        guard occupant?.isAlive(leaseUntil, askedAt: askedAt, at: now, times) == true else { return }
        phase = .over
        actions.append(.refuseDouble(other))
    }

    func prove(afterDeaths deaths: Int, _ now: Instant) {
        occupant = nil
        standing.isUnproven = deaths > 0
        provenAt = now.advanced(by: times.proof(afterDeaths: deaths))
    }

    // MARK: Queries of the daemon

    /// Whether the lease lasts for certain. To be asked with the time that it is, before the first timer and the first reply of every turn: the
    /// process may have slept.
    package func mayServe(at now: Instant) -> Bool {
        now < lease.servesUntil
    }

    /// Until when, exclusively.
    package var servesUntil: Instant { lease.servesUntil }

    package func serves(_ shard: Int, at now: Instant) -> Bool {
        mayServe(at: now) && holdings[shard]?.stage == .serving
    }

    package func served(at now: Instant) -> ShardSet {
        mayServe(at: now) ? holdings.shards(in: .serving) : ShardSet()
    }

    /// The epoch under which this shard's changes are written here; nil if it is not this node's.
    package func epoch(ofShard shard: Int) -> Int64? { holdings[shard]?.epoch }

    /// The shards that are this node's, whether or not they are served yet.
    package var shards: [Int] { Array(holdings.shards) }

    package var incarnation: Incarnation? {
        switch phase {
        case .inside(let incarnation), .parting(let incarnation): incarnation
        case .outside, .over: nil
        }
    }

    /// The node state in the registry. It may be from an earlier request that got no answer, or was done late.
    var published: NodeStatus? { incarnation.flatMap { view.node($0)?.standing } }

    /// Nodes that have missed a renewal.
    package var silentNodes: Set<Incarnation> { lapses.nodes }

    package var name: String { id.description }

    package var isOver: Bool { phase == .over }

    /// How many shards other nodes could own only once this node's lease has expired, if it ended now. After a stop: how many
    /// it has not handed over.
    package var keptShards: Int { max(leftShards, holdings.shards.count) }

    /// How old the view is; nil before there is one.
    package func viewAge(at now: Instant) -> Duration? {
        lease.askedAt?.duration(to: now)
    }
}

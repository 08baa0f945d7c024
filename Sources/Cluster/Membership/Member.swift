// One node of the cluster: the shards it owns, whether it may serve them, and its questions to the registry. It has no clock, no connection and no
// sessions: events come in, actions go out.

import Timers

package final class Member {
    /// Where a node is on its way through the cluster.
    enum Phase: Equatable, Sendable {
        /// It has nothing, and asks to join.
        case outside
        /// It has a lease, and what the registry says is its.
        case inside(Incarnation)
        /// It has asked to leave, and owns nothing.
        case parting(Incarnation)
        /// It asks nothing more.
        case over
    }

    let id: NodeID
    /// Where clients find this node.
    package internal(set) var address: NodeAddress
    package let times: MemberTimes

    var phase = Phase.outside
    /// The cluster as it was last seen, also while this node is outside.
    package internal(set) var view: ClusterView
    package internal(set) var clock = RegistryClock()
    var lease = Lease()
    var holdings = OwnedShards()
    /// Shards given away that their new owners do not serve yet.
    var transits = Transits()
    /// Shards given by others that are not served here yet.
    var awaited: Set<Int> = []
    /// The registry, over all incarnations of this node.
    var remembered: Remembered
    /// Whether the registry has gone back in time. Then the member raises it above its old state, if it is not raised yet, and asks for everything.
    var isRaising = false
    /// Shards to load when all nodes have asked a registry that went back in time.
    var heldBack = HeldBack()
    /// How often the registry has renewed this incarnation's lease.
    var renewals: Int64 = 0
    var standing = NodeStatus()
    var lapses = LapsingLeases()
    var stopDeadline: Instant?
    /// When it first asked to leave.
    var partedAt: Instant?
    /// How many shards it still owned when it asked to leave. 0 once the registry has confirmed that it left.
    var leftShards = 0
    package internal(set) var joinedAt = Instant.zero
    /// The other node at this node's address, while this node waits to join.
    var occupant: Occupant?
    /// When this node has stayed up for long enough to be given shards like the others.
    package internal(set) var provenAt = Instant.zero
    /// Shards of which it is not known yet whether their new owners have heard that they own them.
    var unheard = UnheardOwners()

    // Questions (Member+Questions.swift).
    /// The question in flight, still without answer.
    var underWay: (question: Question, askedAt: Instant)?
    var lastNumber = 0
    /// When to ask, if there is nothing to say before.
    var nextQuestion = Instant.zero
    /// When to say something again that the registry did not do, or did not answer.
    var nextWord = Instant.zero
    /// Whether the next renewal only renews the lease: the last one, which changed more, has failed.
    var renewsLeaseFirst = false
    /// When to plan: at once after news, or when time changes what follows from them.
    var nextPlan = Instant.never
    /// The last plan of shares and its input; nil if the view has changed since.
    var lastShares: (context: PlanContext, plan: SharePlan)?

    /// Whether something that others should have is still being loaded.
    var waitsForLoading = false

    var actions: [MemberAction] = []

    package init(id: NodeID, address: NodeAddress, map: ShardMap, times: MemberTimes = MemberTimes()) {
        self.id = id
        self.address = address
        self.times = times
        view = ClusterView(map: map)
        remembered = Remembered(map: map)
    }

    /// Applies events that happened together, so that one question can report them all, and returns what to do. `now` is CLOCK_BOOTTIME, which
    /// counts while a machine is suspended.
    package func handle(_ events: [MemberEvent], at now: Instant) -> [MemberAction] {
        for event in events { apply(event, at: now) }
        loadHeldBack(now)
        sendDueQuestion(at: now)
        defer { if !actions.isEmpty { actions = [] } }
        return actions
    }

    private func apply(_ event: MemberEvent, at now: Instant) {
        switch event {
        case .timePassed: break
        case .answered(let number, let answer): handleAnswer(number, answer, at: now)
        case .shardsGained(let gainers): handleGain(gainers, at: now)
        case .arrived(let arrivals): takeArrivals(arrivals)
        case .loaded(let shard, let epoch): serve(shard, epoch)
        case .declined(let shard, let epoch, let lacking): decline(shard, epoch, lacking)
        case .unfit(let shard, let epoch, let flows): decline(shard, epoch, unfit: flows)
        case .misfits(let misfits): setMisfits(misfits)
        case .defines(let definitions): define(definitions)
        case .released(let shard, let epoch): change(shard, epoch, from: .releasing, to: .released)
        case .lostTrack(let shard, let epoch): loseTrack(shard, epoch)
        case .declines(let declined): setDeclines(declined)
        case .stop(let deadline): stop(deadline)
        }
    }

    private func serve(_ shard: Int, _ epoch: Int64) {
        let plan = nextPlan
        change(shard, epoch, from: .loading, to: .serving)
        if holdings[shard]?.stage == .serving {
            standing.setMisfits([:], of: shard)
            if awaited.remove(shard) != nil { actions.append(.announce([Arrival(shard: shard, epoch: epoch)])) }
        }
        if !waitsForLoading { nextPlan = plan }
    }

    /// Records which shards their new owners serve. Plans again if a transfer has ended.
    private func takeArrivals(_ arrivals: [Arrival]) {
        let count = transits.count
        for arrival in arrivals {
            transits.end(arrival)
            unheard.hear(arrival, of: view)
        }
        if transits.count < count { nextPlan = .zero }
    }

    func change(_ shard: Int, _ epoch: Int64, from: OwnedShard.Stage, to: OwnedShard.Stage) {
        guard let holding = holdings[shard], holding.epoch == epoch, holding.stage == from else { return }
        holdings[shard]?.stage = to
        // Rows that the log lacked were written when it was loaded.
        if from == .loading { heldBack.unloaded.remove(shard) }
        nextPlan = .zero
    }

    private func decline(_ shard: Int, _ epoch: Int64, _ lacking: [String]) {
        standing.decline(shard, lacking: lacking)
        change(shard, epoch, from: .loading, to: .declined)
    }

    /// Also for a shard that is being released. Whether the commit was fenced or its outcome is unknown, the registry's next reply names the owner.
    private func loseTrack(_ shard: Int, _ epoch: Int64) {
        guard let holding = holdings[shard], holding.epoch == epoch, holding.isInMemory else { return }
        actions.append(.forget(shard: shard))
        holdings[shard]?.stage = .doubtful
        heldBack.unloaded.insert(shard)
        nextPlan = .zero
        // The registry may have gone back in time, and this node's own changes with it: it looks before it leaves.
        if standing.isLeaving { lease.interrupt() }
        if standing.isLeaving, underWay == nil { nextQuestion = .zero }
    }

    /// A shard that was declined before is still given away, or else loaded under a new epoch.
    private func setDeclines(_ declined: [Int: [String]]) {
        standing.setDeclined(declined)
        for shard in holdings.shards(in: .declined) where declined[shard] == nil { holdings[shard]?.stage = .doubtful }
        nextPlan = .zero
    }

    // MARK: A member's addresses: for RESP clients, and for other nodes over HTTP

    /// Before it joins: where clients find it.
    package func setAddress(_ address: NodeAddress) { self.address = address }

    /// Publishes where its page is; nil where it has none.
    package func publish(_ door: NodeEndpoint?) {
        standing.door = door
        nextPlan = .zero
    }
}

// MARK: - The answer to a client that asks this node for a shard

package enum ShardRoute: Equatable, Sendable {
    /// This node serves the shard.
    case here
    /// This node has no lease.
    case noLease
    /// The shard is in transfer: it is this node's and not loaded, or its new owner may not know of it yet.
    case inTransfer
    /// Another node owns the shard, and knows so: it serves it or answers that it is in transfer.
    case elsewhere(NodeRecord)
    case unowned(UnownedReason)
}

extension Member {
    package func route(ofShard shard: Int, at now: Instant) -> ShardRoute {
        guard mayServe(at: now) else { return .noLease }
        if holdings[shard]?.stage == .serving { return .here }
        if holdings[shard] != nil || unheard.contains(shard, at: now) { return .inTransfer }
        if let owner = view.owner(ofShard: shard), owner != incarnation, let node = view.node(owner) { return .elsewhere(node) }
        return .unowned(view.unownedReason(of: shard) ?? .soonTaken)
    }
}

// MARK: - The lease, by the node's own clock

struct Lease: Equatable, Sendable {
    /// Exclusive.
    private(set) var servesUntil = Instant.zero
    private(set) var askedAt: Instant?
    /// Since when the registry has answered without a gap; nil if it does not.
    private(set) var steadySince: Instant?

    /// A renewal was answered. The lease counts from before it was asked for: no clock but the node's own is needed to know that the registry's
    /// lease ends later.
    mutating func renewed(askedAt: Instant, answeredAt: Instant, _ times: MemberTimes) {
        let hasGap = self.askedAt.map { $0.duration(to: askedAt) > times.renewal * 1.5 } ?? true
        if hasGap || steadySince == nil { steadySince = answeredAt }
        self.askedAt = askedAt
        servesUntil = askedAt.advanced(by: times.lease - times.margin)
    }

    /// The registry has answered without a gap since then, while the node waited to join.
    mutating func recordAnswers(since time: Instant) {
        if let steadySince { self.steadySince = min(steadySince, time) }
    }

    /// An answer failed, or came from a registry that had gone back in time. Other nodes' leases may seem to have expired since.
    mutating func interrupt() { steadySince = nil }

    mutating func end() {
        self = Lease()
    }
}

// MARK: - Shards that have changed their owners so recently that the new ones may not have heard of it: clients that were sent there would be sent back.

struct UnheardOwners: Sendable {
    private var changes: [Int: (epoch: Int64, until: Instant)] = [:]
    /// The epochs under which shards are served, where that was heard before the change.
    private var served: [Int: Int64] = [:]

    /// `remembered` is the registry before these records, as this or an earlier incarnation of the node has seen it. The first
    /// records of a node that has just started are no changes: it does not know the owners before. An owner that has a lease
    /// has heard of the change at `until`.
    mutating func update(_ records: [ShardRecord], since remembered: Remembered, until: Instant, _ now: Instant) {
        if !changes.isEmpty { changes = changes.filter { $0.value.until > now } }
        let isFirst = remembered.version == 0
        for record in records where remembered.epochs.indices.contains(record.shard) {
            let isServed = served[record.shard].map { $0 >= record.epoch } ?? false
            if record.owner == nil || isServed {
                changes[record.shard] = nil
            } else if !isFirst, !remembered.hasSameOwner(record) {
                changes[record.shard] = (record.epoch, until)
            }
            if let epoch = served[record.shard], epoch <= record.epoch { served[record.shard] = nil }
        }
    }

    /// The owner serves the shard, and has announced it.
    mutating func hear(_ arrival: Arrival, of view: ClusterView) {
        guard arrival.shard >= 0, arrival.shard < view.map.count else { return }
        if let change = changes[arrival.shard], change.epoch <= arrival.epoch { changes[arrival.shard] = nil }
        if arrival.epoch > view.epoch(ofShard: arrival.shard) { served[arrival.shard] = arrival.epoch }
    }

    func contains(_ shard: Int, at now: Instant) -> Bool { changes[shard].map { now < $0.until } ?? false }
}

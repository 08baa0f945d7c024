// The registry in memory, with the semantics that Request.swift asks of PostgreSQL. It has its own clock.

import Cluster
import Timers

package final class FakeRegistry {
    final class Node {
        let id: NodeID
        let incarnation: Incarnation
        let address: NodeAddress
        var standing: NodeStatus
        /// In nanoseconds of the registry's clock.
        var leaseUntil: Int64
        var renewals: Int64 = 0
        var hasEnded = false
        var endedAt: Int64 = 0

        init(_ joining: Joining, _ incarnation: Incarnation, leaseUntil: Int64) {
            (id, address, standing) = (joining.id, joining.address, joining.standing)
            (self.incarnation, self.leaseUntil) = (incarnation, leaseUntil)
        }

        init(_ record: NodeRecord, leaseUntil: Int64) {
            (id, incarnation, address, standing) = (record.id, record.incarnation, record.address, record.standing)
            self.leaseUntil = leaseUntil
        }

        init(_ other: Node) {
            (id, address, standing, incarnation) = (other.id, other.address, other.standing, other.incarnation)
            (leaseUntil, renewals, hasEnded, endedAt) = (other.leaseUntil, other.renewals, other.hasEnded, other.endedAt)
        }
    }

    /// How an incarnation ended.
    enum End { case ranOut, left, joinedAnew }

    let clock: SkewedClock
    let lease: Int64
    var version: Int64 = 0
    var rewinds: Int64 = 0
    var owners: [Incarnation?]
    var epochs: [Int64]
    /// Nodes that have not ended, in order of incarnation.
    var living: [Node] = []
    var everybody: [Incarnation: Node] = [:]
    /// Nodes that ended without leaving, for 600 s.
    var dead: [Node] = []
    private static let remembered = 600 * Int64.second
    var attempts: [NodeID: Int] = [:]
    /// The changes with their versions, in order.
    var shardChanges: [(version: Int64, shard: Int)] = []
    var nodeChanges: [(version: Int64, node: Node)] = []
    var gainers: Set<Incarnation> = []
    private(set) var moveCount = 0

    /// Called before a move, with the shard, its owner and the next one.
    var onMove: (Int, Incarnation?, Incarnation?) -> Void = { _, _, _ in }
    var onEnd: (Node, End) -> Void = { _, _ in }
    /// Called at a commit, with the nodes that gained shards.
    var onNotify: ([Incarnation]) -> Void = { _ in }
    /// How many versions pass between reading the nodes and reading the shards, for a request without locks.
    var lag: () -> Int64 = { 0 }

    init(shards: Int, clock: SkewedClock, lease: Duration) {
        self.clock = clock
        self.lease = lease.wholeNanoseconds
        owners = Array(repeating: nil, count: shards)
        epochs = Array(repeating: 0, count: shards)
    }

    func node(_ incarnation: Incarnation) -> Node? { everybody[incarnation] }

    func answer(_ request: Request, at now: Int64) -> Answer {
        let next = version + 1
        let answer =
            switch request {
            case .join(let joining): join(joining, next, now)
            case .renew(let renewal): renew(renewal, next, now)
            case .leave(let incarnation): leave(incarnation, next, now)
            }
        if version == next, !request.isPlain {
            let gained = gainers.sorted()
            gainers = []
            if !gained.isEmpty { onNotify(gained) }
        }
        return answer
    }

    private func join(_ joining: Joining, _ next: Int64, _ now: Int64) -> Answer {
        guard attempts[joining.id] ?? 0 < joining.attempt else { return .ended }
        if let former = living.first(where: { $0.id == joining.id }) {
            end(former, .joinedAnew, next, now)
            freeOrphans(next)
        }
        if let occupant = occupant(of: joining) {
            guard joining.replaces == occupant.incarnation, occupant.leaseUntil < clock.reading(now) else {
                return .occupied(occupant.incarnation, leaseUntil: RegistryTime(microseconds: occupant.leaseUntil / 1_000))
            }
            end(occupant, .ranOut, next, now)
            freeOrphans(next)
        }
        attempts[joining.id] = joining.attempt
        // In microseconds, where PostgreSQL counts seconds: a failover takes longer than here.
        let number = max((everybody.keys.max()?.number ?? 0) + 1, clock.reading(now) / 1_000)
        let node = Node(joining, Incarnation(number), leaseUntil: clock.reading(now) + lease)
        let deaths = deaths(at: joining.address, now)
        node.standing.isUnproven = deaths > 0
        everybody[node.incarnation] = node
        living.append(node)
        changed(node, next)
        return .joined(node.incarnation, update(since: 0, asOf: version, now), deaths: deaths)
    }

    private func occupant(of joining: Joining) -> Node? {
        joining.address.port == 0 ? nil : living.first { $0.address == joining.address }
    }

    private func deaths(at address: NodeAddress, _ now: Int64) -> Int {
        guard address.port != 0 else { return 0 }
        dead.removeAll { $0.endedAt < clock.reading(now) - Self.remembered }
        return dead.count { $0.address == address }
    }

    private func renew(_ renewal: Renewal, _ before: Int64, _ now: Int64) -> Answer {
        if let remembered = renewal.raises { raise(remembered, now) }
        let next = max(before, version)
        guard let node = everybody[renewal.incarnation], !node.hasEnded, renewal.id.map({ $0 == node.id }) ?? true else {
            return renewal.isForgotten(by: version, rewinds: rewinds) ? .forgotten(version: version) : .ended
        }
        node.leaseUntil = clock.reading(now) + lease
        node.renewals += 1
        if let standing = renewal.standing {
            node.standing = standing
            changed(node, next)
        }
        let ended = renewal.ends.compactMap { everybody[$0] }.filter { !$0.hasEnded && $0.leaseUntil < clock.reading(now) }
        for other in ended { end(other, .ranOut, next, now) }
        for one in renewal.moves where mayMove(one, node, Set(ended.map(\.incarnation)), now) {
            move(one.shard, to: one.to, next)
        }
        if !ended.isEmpty { freeOrphans(next) }
        let asOf = renewal.isPlain ? max(renewal.seen, version - lag()) : version
        return .update(update(since: renewal.seen, asOf: asOf, now, renewals: node.renewals))
    }

    private func leave(_ incarnation: Incarnation, _ next: Int64, _ now: Int64) -> Answer {
        guard let node = everybody[incarnation], !node.hasEnded else { return .ended }
        end(node, .left, next, now)
        freeOrphans(next)
        return .left
    }

    private func mayMove(_ move: Move, _ client: Node, _ ended: Set<Incarnation>, _ now: Int64) -> Bool {
        guard epochs[move.shard] == move.epoch, owners[move.shard] == move.from else { return false }
        if let from = move.from, from != client.incarnation, !ended.contains(from) { return false }
        guard let to = move.to else { return true }
        guard let taker = everybody[to] else { return false }
        return !taker.hasEnded && taker.leaseUntil >= clock.reading(now)
    }

    private func move(_ shard: Int, to owner: Incarnation?, _ next: Int64) {
        onMove(shard, owners[shard], owner)
        moveCount += 1
        owners[shard] = owner
        epochs[shard] += 1
        shardChanges.append((next, shard))
        version = next
        if let owner { gainers.insert(owner) }
    }

    func end(_ node: Node, _ how: End, _ next: Int64, _ now: Int64) {
        onEnd(node, how)
        (node.hasEnded, node.endedAt) = (true, clock.reading(now))
        if !node.standing.isLeaving { dead.append(node) }
        living.removeAll { $0 === node }
        changed(node, next)
    }

    func changed(_ node: Node, _ next: Int64) {
        nodeChanges.append((next, node))
        version = next
    }

    func freeOrphans(_ next: Int64) {
        let present = Set(living.map(\.incarnation))
        for shard in owners.indices {
            if let owner = owners[shard], !present.contains(owner) { move(shard, to: nil, next) }
        }
    }

    /// The nodes are read as of a version, the shards as they are.
    private func update(since seen: Int64, asOf version: Int64, _ now: Int64, renewals: Int64? = nil) -> RegistryUpdate {
        let reading = clock.reading(now)
        let lapsing = living.filter { $0.leaseUntil - reading < lease / 2 }
            .map { LapsingLease(incarnation: $0.incarnation, remaining: .nanoseconds($0.leaseUntil - reading)) }
        return RegistryUpdate(
            time: RegistryTime(microseconds: reading / 1_000), version: version, nodes: nodes(since: seen, until: version),
            shards: shards(since: seen), lapsing: lapsing, rewinds: rewinds, renewals: renewals)
    }

    private func nodes(since seen: Int64, until version: Int64) -> [NodeRecord] {
        let first = nodeChanges.partitionIndex { $0.version > seen }
        let changed = seen == 0 ? living : nodeChanges[first..<nodeChanges.partitionIndex { $0.version > version }].map(\.node)
        return changed.map {
            NodeRecord(
                id: $0.id, incarnation: $0.incarnation, address: $0.address, standing: $0.standing, hasEnded: $0.hasEnded)
        }
    }

    private func shards(since seen: Int64) -> [ShardRecord] {
        let changed =
            seen == 0
            ? Array(owners.indices)
            : shardChanges[shardChanges.partitionIndex { $0.version > seen }...].map(\.shard)
        return changed.map { ShardRecord(shard: $0, owner: owners[$0], epoch: epochs[$0]) }
    }
}

extension Request {
    fileprivate var isPlain: Bool {
        if case .renew(let renewal) = self { renewal.isPlain } else { false }
    }
}

// Changes that a member requests: shards that it gives or takes, and nodes that it ends.

import Timers

extension Member {
    /// Orders the daemon to let go of what others should have, and says what to ask for.
    func plan(_ me: Incarnation, _ now: Instant) -> Renewal {
        nextPlan = .never
        if standing.isUnproven, !standing.isLeaving {
            if now >= provenAt { standing.isUnproven = false } else { nextPlan = provenAt }
        }
        var renewal = plainRenewal(me)
        if isRaising {
            renewal.raises = remembered.withKnownOwners
            return renewal
        }
        if standing != published { renewal.standing = standing }
        // Without a valid lease, the node does not know which shards are its own, so it changes nothing.
        guard now < lease.servesUntil else { return renewal }
        let ending = nodesToEnd(me, now)
        let shares = shares(me, ending)
        let handovers = shares.hasHandovers ? shares.handovers(of: holdings.inGivingOrder) : []
        releaseShards(for: handovers, at: now)
        renewal.ends = ending.sorted()
        let moves = handoverMoves(handovers, me) + adoptions(shares.adoptions, me, ending)
        renewal.moves = Array(moves.prefix(times.movesAtOnce))
        return renewal
    }

    func plainRenewal(_ me: Incarnation) -> Renewal {
        var renewal = Renewal(incarnation: me, of: id, seen: isRaising ? 0 : view.version)
        renewal.rewinds = remembered.rewinds
        return renewal
    }

    private func nodesToEnd(_ me: Incarnation, _ now: Instant) -> Set<Incarnation> {
        guard let steadySince = lease.steadySince, !lapses.nodes.isEmpty else { return [] }
        let from = steadySince.advanced(by: times.grace)
        guard now >= from else {
            nextPlan = min(nextPlan, from)
            return []
        }
        let due = lapses.due(for: me, among: view.incarnations, at: now, times)
        nextPlan = min(nextPlan, due.next)
        return due.now
    }

    private func shares(_ me: Incarnation, _ ending: Set<Incarnation>) -> SharePlan {
        let absent = lapses.nodes.subtracting(ending)
        let context = PlanContext(me: me, standing: standing, absent: absent, ending: ending)
        if let lastShares, lastShares.context == context { return lastShares.plan }
        let plan = SharePlan.make(view, context)
        lastShares = (context, plan)
        return plan
    }

    /// Releases at most as many shards at a time as others can take, or all at once if there are no takers; none until a registry that has failed
    /// answers again.
    private func releaseShards(for handovers: [Assignment], at now: Instant) {
        waitsForLoading = false
        transits.end(at: now)
        guard !handovers.isEmpty, lease.steadySince != nil else { return }
        let takers = Set(handovers.lazy.compactMap(\.taker)).count
        let most = max(takers * times.onTheirWay, handovers.count / times.partOnItsWay)
        let onTheirWay = holdings.shards(in: .releasing, .released)
        var room = most - transits.count - handovers.count { $0.taker != nil && onTheirWay.contains($0.shard) }
        var isFull = false
        for handover in handovers {
            guard let stage = holdings[handover.shard]?.stage else { continue }
            if stage == .loading, standing.isLeaving, !heldBack.unloaded.contains(handover.shard) {
                actions.append(.forget(shard: handover.shard))
                holdings[handover.shard]?.stage = .released
            } else if stage == .serving, room > 0 || handover.taker == nil {
                actions.append(.release(shard: handover.shard))
                holdings[handover.shard]?.stage = .releasing
                room -= 1
            } else if stage == .serving {
                isFull = true
            } else if stage == .loading {
                waitsForLoading = true
            }
        }
        if isFull { nextPlan = min(nextPlan, transits.next) }
    }

    /// Moves shards that are out of memory to their takers, or back to this node under a new epoch: an older request in flight may still give them
    /// away, and only this node can write again what their logs may have lost.
    private func handoverMoves(_ handovers: [Assignment], _ me: Incarnation) -> [Move] {
        let outOfMemory = holdings.outOfMemory
        guard !outOfMemory.isEmpty else { return [] }
        let takers = Dictionary(uniqueKeysWithValues: handovers.map { ($0.shard, $0.taker) })
        return outOfMemory.compactMap { shard in
            guard let epoch = holdings[shard]?.epoch else { return nil }
            guard let taker = takers[shard], !heldBack.unloaded.contains(shard) else {
                return Move(shard: shard, epoch: epoch, from: me, to: me)
            }
            // The last node keeps its shards until it leaves.
            if taker == nil, standing.isLeaving { return nil }
            return Move(shard: shard, epoch: epoch, from: me, to: taker)
        }
    }

    /// Each node takes its part of the shards without owner. A node that ends another one hands on the shards of that one. After the registry went
    /// back in time, other nodes may remember an owner.
    private func adoptions(
        _ adoptions: [Assignment], _ me: Incarnation, _ ending: Set<Incarnation>
    ) -> [Move] {
        let isSettled = lease.askedAt.map { $0 >= max(joinedAt.advanced(by: times.settling), heldBack.until) } ?? false
        return adoptions.compactMap { adoption in
            let owner = view.owner(ofShard: adoption.shard)
            guard owner.map(ending.contains) ?? (isSettled && adoption.taker == me) else { return nil }
            return Move(shard: adoption.shard, epoch: view.epoch(ofShard: adoption.shard), from: owner, to: adoption.taker)
        }
    }
}

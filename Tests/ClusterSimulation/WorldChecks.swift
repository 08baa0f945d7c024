// Checks of a simulated world, which must hold at every moment.

import Cluster
import Timers

extension World {
    private func node(_ incarnation: Incarnation) -> SimulatedNode? {
        nodes.first { $0.isUp && $0.member.incarnation == incarnation }
    }

    /// No node loses a shard while it serves it.
    func checkMove(_ shard: Int, _ from: Incarnation?, _ to: Incarnation?) {
        guard let from, let owner = node(from), owner.serves(shard, now) else { return }
        fail("shard \(shard) is taken from node \(owner.index) while that one serves it")
    }

    /// Only a node that had a failure loses its lease.
    func checkEnd(_ row: FakeRegistry.Node, _ how: FakeRegistry.End) {
        guard let node = node(row.incarnation) else { return }
        if !node.isFrozen(now), node.member.mayServe(at: node.boot(now)) {
            fail("node \(node.index) may serve when its incarnation ends (\(how))")
        }
        if how == .ranOut, !node.hasBeenTroubled { fail("the lease of node \(node.index) runs out, to which nothing was done") }
    }

    /// The node's idea of its lease ends before the registry's.
    func checkLease(_ node: SimulatedNode) {
        // A reply in flight may have a lease that the registry has lost.
        if let rewoundAt, now - rewoundAt < .second { return }
        guard let incarnation = node.member.incarnation, let row = registry.node(incarnation) else { return }
        let servesUntil = node.clock.time(of: node.member.servesUntil.nanoseconds)
        guard servesUntil > now else { return }
        if row.hasEnded { fail("node \(node.index) may serve for an incarnation that has ended") }
        if servesUntil > registry.clock.time(of: row.leaseUntil) {
            fail("node \(node.index) would serve longer than its lease")
        }
    }

    /// The registry's clock is within the bounds that the node knows, to the microsecond.
    func checkClock(_ node: SimulatedNode) {
        guard let span = node.member.clock.nanoseconds(at: node.boot(now)) else { return }
        let shown = registry.clock.reading(now)
        if !(span.lowerBound - 1_000...span.upperBound + 1_000).contains(shown) {
            fail("node \(node.index) takes the registry's clock to be in \(span), and it shows \(shown)")
        }
    }

    /// A process is refused only if another one at its address is alive.
    func refuseDouble(_ node: SimulatedNode, of other: Incarnation) {
        if self.node(other) == nil { fail("node \(node.index) is refused, although \(other.number) is dead") }
        node.isUp = false
    }

    /// A client that follows MOVED gets to the shard's owner, or is told to try again.
    func checkRoutes(_ shard: Int) {
        for asked in nodes where asked.isUp && !asked.isFrozen(now) && knowsTransfers(asked) {
            guard case .elsewhere(let record) = asked.member.route(ofShard: shard, at: asked.boot(now)),
                let named = node(record.incarnation), !named.isFrozen(now)
            else { continue }
            switch named.member.route(ofShard: shard, at: named.boot(now)) {
            case .here, .inTransfer, .noLease: break
            case .elsewhere, .unowned:
                // It has given the shard away since.
                guard named.member.view.epoch(ofShard: shard) <= asked.member.view.epoch(ofShard: shard) else { break }
                fail("node \(asked.index) sends clients of shard \(shard) to node \(named.index), which does not know of it")
            }
        }
    }

    /// Whether all owners that the node saw when its process first joined know that they own their shards, or have no lease.
    private func knowsTransfers(_ node: SimulatedNode) -> Bool {
        node.firstJoinedAt.map { node.boot(now) >= $0.advanced(by: times.lease) } ?? false
    }

    /// A node owns each shard that it serves.
    func checkServed(_ node: SimulatedNode, _ shard: Int) {
        if node.serves(shard, now) { checkOwned(CollectionOfOne(shard), by: node) }
    }

    private func checkOwned(_ shards: some Sequence<Int>, by node: SimulatedNode) {
        let (owners, epochs) = (registry.owners, registry.epochs)
        let (member, me) = (node.member, node.member.incarnation)
        for shard in shards {
            let epoch = member.epoch(ofShard: shard) ?? -1
            if owners[shard] == me, epochs[shard] == epoch || isRaised(shard, epoch) { continue }
            // The registry went back, and does not know of the last move yet, though it may have been raised.
            let (known, own) = (epochs[shard] % Remembered.jump, epoch % Remembered.jump)
            if rewoundAt != nil, epochs[shard] < epoch || known < own { continue }
            let owner = owners[shard].map { "node \($0.number)" } ?? "no node"
            fail(
                "node \(node.index) serves shard \(shard) as \(me?.number ?? 0) under epoch \(epoch), and the registry gives it to \(owner) under \(epochs[shard])"
            )
        }
    }

    /// Whether the registry went back, and another node has just raised it.
    private func isRaised(_ shard: Int, _ epoch: Int64) -> Bool {
        rewoundAt != nil && registry.epochs[shard] >= epoch + Remembered.jump
            && Remembered.isSameOwner(at: registry.epochs[shard], since: epoch)
    }

    func checkServing(_ node: SimulatedNode) {
        guard node.isUp, !node.isFrozen(now) else { return }
        checkOwned(node.member.served(at: node.boot(now)), by: node)
    }

    /// The shards that a node that stays could own, and that no node serves.
    func unserved() -> Set<Int> {
        let present = nodes.filter(\.isUp)
        let owners = Dictionary(present.compactMap { node in node.member.incarnation.map { ($0, node) } }) { one, _ in one }
        return Set(
            (0..<size.shards).filter { shard in
                guard present.contains(where: { !$0.isLeaving && !$0.lacks.contains(shard) }) else { return false }
                return registry.owners[shard].flatMap { owners[$0] }?.serves(shard, now) != true
            })
    }

    func checkNone(_ unserved: Set<Int>) {
        guard let shard = unserved.min() else { return }
        let owner =
            registry.owners[shard].map { "its owner is \($0.number), node \(node($0)?.index ?? -1)" } ?? "it has no owner"
        fail("shard \(shard) is not served: \(owner)")
    }

    /// No move of one shard would make shares more even.
    func checkFair() {
        let present = nodes.filter(\.isUp).filter { !$0.isFrozen(now) }.sorted {
            $0.member.shards.count < $1.member.shards.count
        }
        for rich in present.reversed() {
            let shards = rich.member.shards
            for poor in present where poor.member.shards.count + 2 <= shards.count {
                guard let shard = shards.first(where: { !poor.lacks.contains($0) }) else { continue }
                return fail(
                    "node \(rich.index) has \(shards.count) shards and node \(poor.index) \(poor.member.shards.count), which could have \(shard)"
                )
            }
        }
    }
}

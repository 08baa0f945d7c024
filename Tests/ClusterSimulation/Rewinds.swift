// A registry that goes back in time again and again, as in failovers that lose some seconds, while nodes come and go.

import Cluster

extension World {
    private static let settled: Int64 = 20 * .second

    /// Checks after each of `count` failovers that every shard is served once, and keeps the changes that its last owner acknowledged.
    package func runRewinds(_ count: Int) throws {
        for index in nodes.indices { start(index) }
        try run(until: now + Self.settled)
        for _ in 0..<count {
            let (copy, log) = (registry.copy(), log)
            while chance(0.6) {
                change(Int.random(in: nodes.indices, using: &random))
                try run(until: now + milliseconds(0...2_000))
            }
            try run(until: now + milliseconds(10...5_000))
            if chance(0.7) { try runUntilAllAgree() }
            let owners = registry.owners
            var kept = Set(log.indices.filter { hasOwnerInMemory($0) })
            goBack(to: copy, log, keeping: kept)
            while chance(0.3) {
                if chance(0.7) { disturb() }
                try run(until: awayUntil + milliseconds(0...6_000))
                kept = kept.filter { shard in
                    // The same owner has it, or the registry has not been raised.
                    (registry.owners[shard] == owners[shard] || registry.epochs[shard] == copy.epochs[shard])
                        && remembersAll(of: shard, owners[shard])
                }
                kept.formUnion(log.indices.filter { hasOwnerInMemory($0) })
                goBack(to: copy, log, keeping: kept)
            }
            if chance(0.4) { disturb() }
            if chance(0.5) { try stopSoonAfter() }
            try runChecked(until: now + Self.settled)
            for node in nodes { checkServing(node) }
            checkNone(unserved())
            if let violation { throw violation }
        }
    }

    private func change(_ index: Int) {
        guard nodes[index].isUp else { return begin(index) }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: learn(index)
        case 1: freeze(index, for: milliseconds(10...1_000))
        case 2: if nodes.count(where: \.isUp) > 1 { kill(index) }
        default: if nodes.count(where: \.isUp) > 1 { stop(index) }
        }
    }

    /// Freezes some nodes for a moment, and loses a message of others: none loses its lease by that.
    private func disturb() {
        calmAt = awayUntil + 5 * .second
        for node in nodes where chance(0.5) {
            after(awayUntil - now + milliseconds(0...4_000)) { [unowned self] in
                if chance(0.5) {
                    freeze(node.index, for: milliseconds(1...1_000))
                } else {
                    trouble(node.index, for: milliseconds(1...150))
                }
            }
        }
    }

    /// Stops some nodes once the registry is there again, each when the one before has left or soon after its stop. Of all nodes, one starts again.
    private func stopSoonAfter() throws {
        try run(until: awayUntil + milliseconds(0...4_000))
        for index in nodes.indices.shuffled(using: &random) where chance(0.8) {
            stop(index, deadline: .milliseconds(Int.random(in: 1_000...10_000, using: &random)))
            if chance(0.5) { try runUntilDown(nodes[index]) } else { try run(until: now + milliseconds(0...1_500)) }
        }
        guard nodes.allSatisfy({ !$0.isUp || $0.isLeaving }) else { return }
        for node in nodes { try runUntilDown(node) }
        start(Int.random(in: nodes.indices, using: &random))
    }

    private func runUntilDown(_ node: SimulatedNode) throws {
        let end = now + Self.settled
        while now < end, node.isUp { try run(until: now + .second / 20) }
    }

    /// Runs until each node knows every owner, and owners have committed something.
    private func runUntilAllAgree() throws {
        let end = now + Self.settled
        while now < end, !allAgree { try run(until: now + .second / 20) }
        try run(until: now + milliseconds(10...2_000))
    }

    private var allAgree: Bool { nodes.allSatisfy { !$0.isUp || $0.member.view.version == registry.version } }

    /// A request in flight finds no server.
    private func goBack(to copy: FakeRegistry.Copy, _ log: [Int], keeping kept: Set<Int>) {
        rewoundAt = now
        for shard in log.indices where !kept.contains(shard) { acknowledged[shard] = min(acknowledged[shard], log[shard]) }
        registry.goBack(to: copy)
        self.log = log
        awayUntil = now + (chance(0.5) ? milliseconds(100...2_000) : milliseconds(100...10_000))
        for node in nodes {
            (node.hasBeenTroubled, node.isDisconnected, node.isStale) = (true, true, node.hasCompared)
            after(milliseconds(0...1_000)) { [unowned self] in noticeEnd(node) }
            after(awayUntil - now + milliseconds(0...1_000)) { [unowned self] in
                if node.isUp, now >= awayUntil { compareLogs(node) }
            }
        }
        if chance(0.5) { after(milliseconds(0...1_000)) { [unowned self] in stopAny() } }
    }

    /// The node plans handovers while the registry is away. It waits for a registry that goes back several times: its rows would be lost with it.
    private func stopAny() {
        let staying = nodes.filter { $0.isUp && !$0.isLeaving }
        if staying.count > 1, let node = staying.randomElement(using: &random) { stop(node.index, deadline: .seconds(300)) }
    }

    /// The writer notices the end of its connection late, but before a new connection to the registry answers.
    func noticeEnd(_ node: SimulatedNode) {
        if node.isStale { (node.isStale, node.hasCompared) = (false, false) }
    }

    /// Each new connection of a writer compares the logs with what was committed.
    private func compareLogs(_ node: SimulatedNode) {
        node.isStale = false
        for (shard, loaded) in node.loaded where isOwned(shard, loaded.epoch, by: node) {
            appendMissing(node, shard, loaded.epoch)
        }
        node.hasCompared = true
        for shard in node.loaded.keys.sorted() { finishLettingGo(node, shard) }
    }

    private func hasOwnerInMemory(_ shard: Int) -> Bool {
        nodes.contains { node in
            node.isUp && !node.isFrozen(now) && node.recent[shard]?.epoch == registry.epochs[shard]
                && node.member.incarnation == registry.owners[shard]
        }
    }

    /// Whether this owner can write again all that was acknowledged. Until it has loaded the shard, a node that does not know the owner may commit more.
    private func remembersAll(of shard: Int, _ owner: Incarnation?) -> Bool {
        nodes.contains { node in
            node.isUp && !node.isFrozen(now) && node.member.incarnation == owner
                && node.recent[shard].map { recent in
                    recent.count >= acknowledged[shard]
                        && Remembered.isSameOwner(at: max(registry.epochs[shard], recent.epoch), since: recent.epoch)
                } ?? false
        }
    }

    func isOwned(_ shard: Int, _ epoch: Int64, by node: SimulatedNode) -> Bool {
        registry.epochs[shard] == epoch && registry.owners[shard] == node.member.incarnation
    }

    /// As `RecentRows` does.
    func appendMissing(_ node: SimulatedNode, _ shard: Int, _ epoch: Int64) {
        guard rewoundAt != nil, let recent = node.recent[shard], Remembered.isSameOwner(at: epoch, since: recent.epoch) else {
            return
        }
        log[shard] = max(log[shard], recent.count)
    }

    private func runChecked(until end: Int64) throws {
        while now < end {
            try run(until: min(end, now + .second / 20))
            checkServedOnce()
            if let violation { throw violation }
        }
    }

    private func checkServedOnce() {
        var owners: [Int: Int] = [:]
        for node in nodes where node.isUp {
            for shard in node.member.served(at: node.boot(now)) {
                if let other = owners.updateValue(node.index, forKey: shard) {
                    fail("nodes \(other) and \(node.index) serve shard \(shard)")
                }
            }
        }
    }
}

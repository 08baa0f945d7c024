// The commits of simulated nodes: requests that are lost or late, and the registry's fence.

import Cluster
import Seeds

extension World {
    /// Commits a change of a random shard that the node serves.
    func commitRandomChange(_ node: SimulatedNode) {
        plan(.traffic(node: node.index, process: node.process), after: milliseconds(100...900))
        checkRoutes(Int.random(in: 0..<size.shards, using: &random))
        guard let served = anyShard(node), let loaded = node.loaded[served], !loaded.isCommitting,
            node.member.serves(served, at: node.boot(now))
        else { return }
        node.loaded[served]?.isCommitting = true
        send(
            .commit(
                node: node.index, process: node.process, shard: served, epoch: loaded.epoch, count: loaded.count, answers: true),
            node)
    }

    private func anyShard(_ node: SimulatedNode) -> Int? {
        while let place = node.everLoaded.indices.randomElement(using: &random) {
            let shard = node.everLoaded[place]
            if node.loaded[shard] != nil { return shard }
            node.everLoaded.swapAt(place, node.everLoaded.count - 1)
            node.everLoaded.removeLast()
        }
        return nil
    }

    private func send(_ commit: Event, _ node: SimulatedNode) {
        guard case .commit(let index, let process, let shard, let epoch, let count, _) = commit else { return }
        let isLost = now < awayUntil || (isTroubled(node) && chance(0.3))
        guard isLost else { return plan(commit, after: milliseconds(0.2...(isTroubled(node) ? 900 : 5))) }
        if chance(0.7) {
            plan(
                .commit(node: index, process: process, shard: shard, epoch: epoch, count: count, answers: false),
                after: milliseconds(0.2...8_000))
        }
        plan(.committed(node: index, process: process, shard: shard, epoch: epoch, .unknown), after: milliseconds(1...1_000))
    }

    /// The fence: a commit succeeds only under the shard's epoch.
    func commit(_ index: Int, _ process: Int, _ shard: Int, _ epoch: Int64, _ count: Int, _ answers: Bool) {
        let isAway = now < awayUntil
        let isDone = !isAway && registry.epochs[shard] == epoch
        if isDone {
            // The new connection first appended the changes that a registry lost when it went back.
            if rewoundAt != nil { log[shard] = max(log[shard], count) }
            if log[shard] != count {
                fail(
                    "shard \(shard) forks: node \(index) commits change \(count) under epoch \(epoch), and its log has \(log[shard])"
                )
            }
            log[shard] += 1
            commitCount += 1
        }
        guard answers else { return }
        let outcome: Outcome = isAway ? .unknown : isDone ? .done : .refused
        plan(.committed(node: index, process: process, shard: shard, epoch: epoch, outcome), after: milliseconds(0.2...2))
    }

    func completeCommit(_ node: SimulatedNode, _ shard: Int, _ epoch: Int64, _ outcome: Outcome) {
        guard node.loaded[shard]?.epoch == epoch else { return }
        node.loaded[shard]?.isCommitting = false
        guard outcome == .done else { return tell(node, .lostTrack(shard: shard, epoch: epoch)) }
        node.loaded[shard]?.count += 1
        node.recent[shard] = (epoch, max(node.recent[shard]?.count ?? 0, node.loaded[shard]?.count ?? 0))
        acknowledged[shard] = max(acknowledged[shard], node.loaded[shard]?.count ?? 0)
        finishLettingGo(node, shard)
    }
}

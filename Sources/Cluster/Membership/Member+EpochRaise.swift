// What a member does if the registry has gone back in time: it raises the registry above what it remembers, and asks for everything.

import Timers

/// Shards that a node does not load at once, since the registry went back in time.
struct HeldBack: Equatable, Sendable {
    var shards: Set<Int> = []
    var until = Instant.zero
    /// These, and those that it loads now: only this node can write again what their logs have lost.
    var unloaded: Set<Int> = []
}

extension Member {
    /// Whether the registry has not gone back in time since the last answer. It may have changed so much since that its version is higher.
    func continues(_ news: News) -> Bool {
        news.version >= remembered.version && news.renewals.map { $0 > renewals } ?? true
            && (news.rewinds == remembered.rewinds || view.version == 0 && news.rewinds > remembered.rewinds)
    }

    func raise(from news: News, _ now: Instant) {
        // Another node may have raised it already. Even then this node may have seen what never was.
        if news.rewinds <= remembered.rewinds {
            raise(from: news.version, now)
        } else {
            askForAll(now)
        }
    }

    /// What this node has in memory is newer than the registry, and stays.
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

    func load(_ record: ShardRecord, _ now: Instant) {
        guard now < heldBack.until else { return actions.append(.load(shard: record.shard, epoch: record.epoch)) }
        heldBack.shards.insert(record.shard)
        heldBack.unloaded.insert(record.shard)
    }

    /// Loads what was held back, if it is still this node's.
    func loadHeldBack(_ now: Instant) {
        guard !heldBack.shards.isEmpty, now >= heldBack.until else { return }
        for shard in heldBack.shards.sorted() {
            guard let holding = holdings[shard], holding.stage == .loading else { continue }
            actions.append(.load(shard: shard, epoch: holding.epoch))
        }
        heldBack.shards = []
    }
}

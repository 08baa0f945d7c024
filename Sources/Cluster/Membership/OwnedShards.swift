// All that a node owns, by shard and by stage: a plan asks for all shards in some stages, and news for single ones, most of which are others'.

struct OwnedShards: Sendable {
    private var byShard: [Int: OwnedShard] = [:]
    private var byStage = Array(repeating: ShardSet(), count: OwnedShard.Stage.allCases.count)

    var isEmpty: Bool { byShard.isEmpty }

    subscript(shard: Int) -> OwnedShard? {
        get { byShard[shard] }
        set {
            if let former = byShard[shard] { byStage[former.stage.rawValue].remove(shard) }
            byShard[shard] = newValue
            if let newValue { byStage[newValue.stage.rawValue].insert(shard) }
        }
    }

    var shards: ShardSet { byStage.reduce(into: ShardSet()) { $0.formUnion($1) } }

    func shards(in stages: OwnedShard.Stage...) -> ShardSet {
        stages.reduce(into: ShardSet()) { $0.formUnion(byStage[$1.rawValue]) }
    }

    var outOfMemory: ShardSet { shards(in: .released, .doubtful, .declined) }

    /// Shards out of memory first, then those being released, then served ones, then those still loading.
    var inGivingOrder: [Int] {
        [outOfMemory, shards(in: .releasing), shards(in: .serving), shards(in: .loading)].flatMap { $0.reversed() }
    }
}

// MARK: - A shard that a node owns, as far as the node knows.

struct OwnedShard: Equatable, Sendable {
    var epoch: Int64
    var stage: Stage

    enum Stage: Int, CaseIterable, Sendable {
        /// The daemon reads it.
        case loading
        /// The daemon answers for it while the lease lasts.
        case serving
        /// The daemon has stopped serving it, and writes its pending changes.
        case releasing
        /// The daemon has released it: another node can have it.
        case released
        /// The daemon has forgotten it, and something that it has written may yet be done: it needs a new epoch.
        case doubtful
        /// The daemon cannot have it.
        case declined
    }

    /// Whether the daemon has anything of it in memory.
    var isInMemory: Bool {
        switch stage {
        case .loading, .serving, .releasing: true
        case .released, .doubtful, .declined: false
        }
    }
}

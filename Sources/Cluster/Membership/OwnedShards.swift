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

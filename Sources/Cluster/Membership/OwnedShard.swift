// A shard that a node owns, as far as the node knows.

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

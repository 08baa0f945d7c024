import Store

/// What has become of a shard.
package enum ShardEvent: Equatable, Sendable {
    /// Its sessions are here.
    case loaded(Shard)
    /// It cannot be here: these flows are missing.
    case lacking(Shard, flows: [String])
    /// The definitions here do not fit so many of its sessions, by flow. It is here, and they are set aside; or it is not, since other nodes may have
    /// definitions that fit.
    case unfit(Shard, flows: [String: Int], isHere: Bool)
    /// All changes of it that were made here are committed, and it is not here any more.
    case released(Shard)
    /// Some of the changes that were made here may not have been committed.
    case lost(Shard)
    /// It cannot be read for now. The others can be.
    case unreadable(Shard, StoreError)
}

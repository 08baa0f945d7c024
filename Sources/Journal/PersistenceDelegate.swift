import Store

/// Receives changes of a store's shards and of the sessions in them. Methods without an implementation do nothing.
package protocol PersistenceDelegate: AnyObject {
    /// All that has been found out at once.
    func shardsDidChange(_ events: [ShardEvent])

    /// More sessions are restored.
    func sessionsDidRestore()

    /// `isRestoring` has changed.
    func restoringDidChange()

    /// Other flows are hosted.
    func hostedFlowsDidChange()

    /// Whether a shard is not to be here, since so many of its sessions, by flow, do not fit, and other nodes may fit better. Asked before it
    /// is served.
    func shouldDecline(_ shard: Int, unfit: [String: Int]) -> Bool

    /// A trap ends this node, and others can know of it. Called by another thread than the loop's, which stands still.
    func processDidTrap()
}

extension PersistenceDelegate {
    package func sessionsDidRestore() {}
    package func restoringDidChange() {}
    package func hostedFlowsDidChange() {}
    package func shouldDecline(_ shard: Int, unfit: [String: Int]) -> Bool { false }
    package func processDidTrap() {}
}

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

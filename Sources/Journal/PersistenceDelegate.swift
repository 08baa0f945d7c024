import Store

/// Receives changes of a store's shards and of the sessions in them. Methods without an implementation do nothing.
package protocol PersistenceDelegate: AnyObject {
    /// Called with all changes of shards that were found together.
    func shardsDidChange(_ events: [ShardEvent])

    /// More sessions are restored.
    func sessionsDidRestore()

    /// `isRestoring` has changed.
    func restoringDidChange()

    /// Other flows are hosted.
    func hostedFlowsDidChange()

    /// Returns whether this node declines the shard. `unfit` counts its sessions that do not fit, by flow; other nodes may have definitions
    /// that fit. Called before the shard is served.
    func shouldDecline(_ shard: Int, unfit: [String: Int]) -> Bool

    /// A trap ends this node, and others can know of it. Called on another thread than the loop's, which is blocked.
    func processDidTrap()
}

extension PersistenceDelegate {
    package func sessionsDidRestore() {}
    package func hostedFlowsDidChange() {}
    package func shouldDecline(_ shard: Int, unfit: [String: Int]) -> Bool { false }
    package func processDidTrap() {}
}

/// A change of a shard's state on this node.
package enum ShardEvent: Equatable, Sendable {
    /// Its sessions are here.
    case loaded(Shard)
    /// It cannot be here: these flows are missing.
    case lacking(Shard, flows: [String])
    /// This many of its sessions, by flow, do not fit the definitions here. The shard is here and the sessions are set aside; or it is not here,
    /// since other nodes may have definitions that fit.
    case unfit(Shard, flows: [String: Int], isHere: Bool)
    /// All changes made to it here are committed, and the shard is no longer here.
    case released(Shard)
    /// Some of the changes that were made here may not have been committed.
    case lost(Shard)
    /// It cannot be read for now. The others can be.
    case unreadable(Shard, StoreError)
}

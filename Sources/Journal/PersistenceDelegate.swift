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

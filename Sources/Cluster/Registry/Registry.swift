// The registry, as a node uses it.

/// A connection to the registry, used by one thread. Nothing waits forever.
package protocol Registry: AnyObject {
    /// Asks, and waits for the answer: `failed` where none came.
    func ask(_ request: Request) -> Answer

    /// Why the last answer was `failed`.
    var failure: String? { get }

    /// Notifies all nodes, unless that fails.
    func announce(_ arrivals: [Arrival])

    /// Waits until there are notices, and returns them; empty when `waker`, a descriptor, can be read before that, or `milliseconds`
    /// have passed. Nil where the connection has ended.
    func notices(orUntil waker: Int32, atMost milliseconds: Int32) -> [RegistryNotice]?

    /// Ends what waits, at once. Any thread may call it.
    func cancel()

    func close()
}

// MARK: - Notices to all nodes

package enum RegistryNotice: Equatable, Sendable {
    /// These nodes have gained shards.
    case gained([Incarnation])
    /// Shards that were given to other nodes are served there.
    case arrived([Arrival])
}

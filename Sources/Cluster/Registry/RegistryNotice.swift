// What nodes are notified of, all of them and at once. A notice may be lost: nothing but time depends on it.

package enum RegistryNotice: Equatable, Sendable {
    /// These nodes have gained shards.
    case gained([Incarnation])
    /// Shards that were given to other nodes are served there.
    case arrived([Arrival])
}

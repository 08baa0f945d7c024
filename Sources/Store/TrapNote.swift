// What a node that is ended by a trap says at last, so that the next owner of the shard is not ended by the same.

package struct TrapNote: Sendable {
    /// A session whose code has trapped.
    package struct TrappedSession: Sendable {
        package let name: String
        /// Tells it from others of its name; nil if that is not known.
        package let life: Int64?
        /// Where it has a higher version by now, it has got over it.
        package let version: Int64
        /// Why it is quarantined.
        package let problem: String

        package init(name: String, life: Int64?, version: Int64, problem: String) {
            (self.name, self.life, self.version, self.problem) = (name, life, version, problem)
        }
    }

    package let shard: Shard
    /// Nil where there is only a message to blame.
    package let culprit: TrappedSession?
    /// A message to the shard that nobody is to carry out any more, and what is said to somebody instead.
    package let taken: Int64?
    package let posted: PostedMessage?

    package init(_ shard: Shard, _ culprit: TrappedSession?, taken: Int64? = nil, posted: PostedMessage? = nil) {
        (self.shard, self.culprit, self.taken, self.posted) = (shard, culprit, taken, posted)
    }
}

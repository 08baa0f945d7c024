/// Consequences of a turn's end for its output.
package struct TurnEnd {
    /// The turns or batches up to this one are safe.
    package var safeThrough: UInt64
    /// The turn that must be durable before this turn's output is sent; nil if it can be sent at once.
    package var awaited: UInt64?
    /// Why writing fails at the moment.
    package var failure: String?
    /// Whether `failure` has changed since the last turn.
    package var failureHasChanged: Bool
    /// Whether sessions in memory are ahead of durable state that may be lost. Nothing can be reported about them then.
    package var hidesSessions = false
    /// Output waiting for any later turn cannot be sent as intended: some of those changes may be lost.
    package var lostAfter: UInt64?
}

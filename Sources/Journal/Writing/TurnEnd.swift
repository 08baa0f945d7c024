/// What the end of a turn means for its output.
package struct TurnEnd {
    /// The turns or batches up to this one are safe.
    package var safeThrough: UInt64
    /// What must be safe before this turn's output may leave; nil if it may leave at once.
    package var awaited: UInt64?
    /// Why writing fails at the moment.
    package var failure: String?
    /// Whether `failure` has changed since the last turn.
    package var failureHasChanged: Bool
    /// Whether sessions in memory are ahead of what is kept, and what they are ahead by may be lost: nothing can be said about them.
    package var hidesSessions = false
    /// What waits for anything behind this cannot be answered as it was meant: some of it may be lost.
    package var lostAfter: UInt64?
}

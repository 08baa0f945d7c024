// What to show of a session, computed from its state and never stored.

/// What a flow shows of a state.
public struct Screen: Sendable, Equatable {
    /// The heading.
    public var title: String
    /// What stands below the heading; may be empty.
    public var text: String
    /// Overall progress from 0 to 1, where that means something.
    public var progress: Double?

    /// A screen; only the title must be given.
    public init(title: String, text: String = "", progress: Double? = nil) {
        self.title = title
        self.text = text
        self.progress = progress
    }
}

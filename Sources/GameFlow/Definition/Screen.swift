// The screen of a session, computed from its state and never stored.

/// A flow's texts and progress for a state, for clients to show.
public struct Screen: Sendable, Equatable {
    /// The heading.
    public var title: String
    /// The text below the heading; may be empty.
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

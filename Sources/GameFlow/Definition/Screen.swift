// What is to be shown of a session: computed from its state, never kept.

/// What a flow says of one of its states.
public struct Screen: Sendable, Equatable {
    public var title: String
    public var text: String
    /// How far the whole thing has come, from 0 to 1, where that means something.
    public var progress: Double?

    public init(title: String, text: String = "", progress: Double? = nil) {
        self.title = title
        self.text = text
        self.progress = progress
    }
}

// A session that another one has begun, for as long as that is in a state.

/// A session that runs for a state of another one, its parent.
public struct ChildSession: Sendable, Equatable {
    /// The last stage that was reported to its parent.
    public enum Stage: String, Sendable {
        /// Nothing yet.
        case runs
        /// That it is done.
        case done
        /// It is missing. It may be reinstated.
        case lost
    }

    /// The parent's id for it.
    public let id: String
    /// Nil if the parent does not record it: a final child has reported its end.
    public let stage: Stage?

    /// A child of that id.
    public init(_ id: String, _ stage: Stage? = nil) {
        self.id = id
        self.stage = stage
    }

    /// The ids of the children in a session's saved data. Flows from files keep them in a separate member beside their variables.
    package static func ids(savedIn data: JSON) -> [String] {
        data[SessionImage.memoryMember]?["children"]?.members.map(\.name) ?? []
    }
}

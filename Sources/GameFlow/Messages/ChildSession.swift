// A session that another one has begun, for as long as that is in a state.

/// A session that runs for a state of another one, its parent.
public struct ChildSession: Sendable, Equatable {
    /// What its parent has been told of it.
    public enum Stage: String, Sendable {
        /// Nothing yet.
        case runs
        /// That it is done.
        case done
        /// That it is not there. It may come back.
        case lost
    }

    /// What its parent calls it.
    public let id: String
    /// Nil where the parent does not say: if it is final, it has told so.
    public let stage: Stage?

    /// A child of that id.
    public init(_ id: String, _ stage: Stage? = nil) {
        self.id = id
        self.stage = stage
    }
}

extension ChildSession {
    /// The ids of the children in a session's saved data: what flows from files keep beside their variables has a member of its own.
    package static func ids(savedIn data: JSON) -> [String] {
        guard let children = data["$"]?["children"] else { return [] }
        if case .array(let elements) = children { return elements.compactMap(\.text) }
        if case .object(let members) = children { return members.map(\.name) }
        return []
    }
}

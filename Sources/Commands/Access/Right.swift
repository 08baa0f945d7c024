// Rights, and the roles that have them.

import Texts

/// The right that a command or an operation of the API requires of its sender.
package enum Right: UInt8, Sendable, CaseIterable {
    /// Nothing: it is about the connection alone.
    case nothing
    /// Looking.
    case read
    /// Sending events.
    case play
    /// Saying that events come from an orchestrator.
    case orchestrate
    /// Any action on sessions, and on time.
    case master
    /// Changing the daemon itself.
    case administer
}

/// A set of rights with a name.
package enum Role: String, Sendable, CaseIterable {
    case read, play, orchestrator, master
    /// A client that is asked for no token.
    case guest

    /// Roles that can be assigned to a user or a token.
    package static let given: [Role] = [.read, .play, .orchestrator, .master]

    /// Throws if there is no such role, with a sentence about `what`.
    package init(named name: String, of what: String) throws(AccessError) {
        guard let role = Self.given.first(where: { $0.rawValue == name }) else {
            let advice = Self.given.map(\.rawValue).advice(for: name)
            throw AccessError("there is no role \(name.unlessSecret) for \(what); \(advice)")
        }
        self = role
    }

    package func has(_ right: Right) -> Bool {
        switch self {
        case .read: right.rawValue <= Right.read.rawValue
        case .play: right.rawValue <= Right.play.rawValue
        case .orchestrator: right.rawValue <= Right.orchestrate.rawValue
        case .master: true
        case .guest: right != .orchestrate && right != .administer
        }
    }

    /// The least of those that have the right.
    package static func least(with right: Right) -> Role { given.first { $0.has(right) } ?? .master }
}

/// Why access cannot be given as it was asked for: a sentence, or a line for each mistake in a file.
package struct AccessError: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

// Requirements of a command, or of an API operation, on its sender.

/// A right, and its reach. Every command and every operation states it.
package struct Needs: Equatable, Sendable {
    /// The sessions that are seen or changed.
    package enum Reach: Sendable {
        /// No session.
        case nothing
        /// The session that the first word, or the path, names.
        case session
        /// Sessions of which those that are not the client's are left out.
        case ownSessions
        /// The daemon and all its sessions: not for a client that has only some.
        case everything
    }

    package let right: Right
    package let reach: Reach

    package static let nothing = Needs(right: .nothing, reach: .nothing)
    package static func reads(_ reach: Reach) -> Needs { Needs(right: .read, reach: reach) }
    package static func plays(_ reach: Reach) -> Needs { Needs(right: .play, reach: reach) }
    package static let orchestrates = Needs(right: .orchestrate, reach: .nothing)
    package static func masters(_ reach: Reach) -> Needs { Needs(right: .master, reach: reach) }
    package static let administers = Needs(right: .administer, reach: .everything)
}

// A client's grant: its role, its sessions, and its name in the history.

import Memory
import RESP

/// Clients of one token share it.
package final class Grant: Sendable {
    /// Shown to people.
    package let name: String
    /// Nil for an unauthenticated client.
    package let role: Role?
    /// Nil for all sessions.
    package let scope: SessionScope?

    package init(name: String, role: Role?, scope: SessionScope? = nil) {
        (self.name, self.role, self.scope) = (name, role, scope)
    }

    /// The grant of code within the daemon, and of the daemon's own user.
    package static let daemon = Grant(name: "gamed", role: .master)
    package static let guest = Grant(name: "guest", role: .guest)
    package static let stranger = Grant(name: "stranger", role: nil)

    package var trust: ClientTrust {
        switch role {
        case nil: .unauthenticated
        case .guest: .guest
        case .read, .play, .orchestrator, .master: .trusted
        }
    }

    /// Whether each of its commands is checked. A grant with the right `master` and no scope is checked only for guarded commands.
    var isLimited: Bool { scope != nil || role?.has(.master) != true }

    /// Whether it has the right, and no scope if the reach is everything.
    package func has(_ needs: Needs) -> Bool {
        guard role?.has(needs.right) == true else { return false }
        return scope == nil || needs.reach != .everything
    }

    /// Whether it may begin, retry and drop this session.
    package func isMaster(of session: String) -> Bool {
        role?.has(.master) == true && scope?.admits(session) ?? true
    }

    package func admits(_ session: ByteString) -> Bool { scope?.admits(session) ?? true }

    /// Throws if the session is not among its own.
    package func check(_ session: ByteString) throws(CommandError) {
        guard let scope, !scope.admits(session) else { return }
        throw outOfScope(session.text, scope)
    }

    /// Throws if the grant does not cover `needs`; `action` is the requested action.
    package func check(_ needs: Needs, for action: String) throws(CommandError) {
        guard needs.right != .nothing else { return }
        guard role?.has(needs.right) == true else { throw refusal("run the '\(action)' command: \(lack(of: needs.right))") }
        guard let scope, needs.reach == .everything else { return }
        throw refusal("run the '\(action)' command: it concerns all sessions; the user's are \(scope)")
    }

    private func refusal(_ action: String) -> CommandError {
        CommandError(.noPermission, "User '\(name)' has no permissions to \(action)")
    }

    private func lack(of right: Right) -> String {
        "the role is \(role?.rawValue ?? "none"); required: \(Role.least(with: right))"
            + (role == .guest ? ", over the UNIX socket or with a token" : "")
    }

    /// Throws if the client may not say that its events come from elsewhere.
    package func check(source: String) throws(CommandError) {
        guard role?.has(Needs.orchestrates.right) != true else { return }
        throw refusal("send events as '\(source)': \(lack(of: Needs.orchestrates.right))")
    }

    package func check(_ session: UnsafeRawBufferPointer) throws(CommandError) {
        guard let scope, !scope.admits(session) else { return }
        throw outOfScope(Argument(session).beginning.repairedText, scope)
    }

    private func outOfScope(_ session: String, _ scope: SessionScope) -> CommandError {
        refusal("access the session '\(session.shortened)': the user's are \(scope)")
    }
}

/// How far a client is trusted.
package enum ClientTrust: UInt8, Sendable {
    /// A network client that has not authenticated.
    case unauthenticated
    /// A network client that is asked for no token.
    case guest
    /// A client with a role.
    case trusted
}

// MARK: - Requirements of a command, or of an API operation, on its sender.

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

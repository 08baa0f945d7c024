// The work of a start: done elsewhere, behind two small protocols, and reported back as events.

import GameFlow

/// Where a user's session is kept.
public protocol SavedSession: Sendable {
    /// The user whose session was saved; nil if there is none. `flowSession` is the flow's session that asks.
    func load(for flowSession: String) async throws -> String?
}

/// Knows who may come in.
public protocol Authenticator: Sendable {
    /// The user's name. `flowSession` is the flow's session that asks.
    func logIn(for flowSession: String) async throws -> String
}

extension FlowDefinition<Startup> {
    /// Has the work of the flow's states done: read the saved session, check the log-in.
    public mutating func work(with session: any SavedSession, _ authenticator: any Authenticator) {
        orchestrate { state, name in
            switch state {
            case .hydrating: { await Self.hydrate(session, name) }
            case .authenticating: { await Self.authenticate(authenticator, name) }
            case .launching, .needsLogin, .error, .ready: nil
            }
        }
    }

    private static func hydrate(_ session: any SavedSession, _ name: String) async -> Startup.Event {
        // A session that cannot be read is none: the user can still log in.
        let user = try? await session.load(for: name)
        return .hydrateSucceeded(hasSession: user != nil, userID: user ?? "")
    }

    private static func authenticate(_ authenticator: any Authenticator, _ name: String) async -> Startup.Event {
        do {
            return .loginSucceeded(userID: try await authenticator.logIn(for: name))
        } catch {
            return .loginFailed(message: "\(error)")
        }
    }
}
